"""Hypothesis strategies for whole turns.

The rule: small first. Times lie on a grid of 100 ms from 0 to 1 s, so that instants often coincide, and every example
has only some of the features (swarm testing), so that each is also seen without the others. Needs the ``testing``
extra.
"""

from collections.abc import Collection
from typing import Any, Final, Literal, get_args

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError("scenarios.strategies needs Hypothesis: pip install 'interlock[testing]'") from error

from .model import Attempt, Call, Consumer, Happening, Options, Scenario, Stream, ToolSpec

Feature = Literal[
    "classes",
    "overrides",
    "cascading",
    "classifier",
    "unknown",
    "invalid",
    "failures",
    "foreign_cancel",
    "stubborn",
    "progress",
    "modifiers",
    "consumer",
    "limit",
    "eager",
    "policies",
    "late_end",
    "stop",
    "submit",
    "discard",
    "stream_error",
]
FEATURES: Final[tuple[Feature, ...]] = get_args(Feature)
"""What a turn may have besides reads of some length: exclusive tools; calls of another class than their tool's;
cascading tools; a classifier that raises; unknown tools; invalid inputs; bodies that fail; bodies that cancel
themselves; bodies that ignore being stopped; progress; context modifiers; a consumer that is slow or leaves; another
limit than ten; eager emission; every cascade policy; a response that ends after its last call; and the four ways in
which a turn can be cut short."""

INTERRUPTIONS: Final[tuple[Feature, ...]] = ("stop", "submit", "discard", "stream_error")
TICKS: Final = st.integers(0, 10)
"""Instants and durations, in units of 100 ms."""

_TOOLS: Final = {
    "Read": ToolSpec(),
    "Look": ToolSpec(interrupt="cancel"),
    "Edit": ToolSpec(safe=False),
    "Send": ToolSpec(safe=False, interrupt="cancel"),
    "Bash": ToolSpec(safe=False, cascades=True),
    "Grep": ToolSpec(cascades=True),
    "Odd": ToolSpec(classifier_raises=True),
    "Gone": ToolSpec(available=False),
}
_NEEDS: Final[dict[str, Feature]] = {
    "Edit": "classes",
    "Send": "classes",
    "Bash": "cascading",
    "Grep": "cascading",
    "Odd": "classifier",
    "Gone": "unknown",
}


def turns(max_calls: int = 12, *, min_calls: int = 0, without: Collection[Feature] = ()) -> st.SearchStrategy[Scenario]:
    """Make scenarios of ``min_calls`` to ``max_calls`` calls that have none of the features in ``without``.

    They shrink towards no calls at all, then towards safe reads at 0 that take no time and end well.
    :class:`ValueError` for a feature that is not in :data:`FEATURES`.

    >>> from hypothesis import find
    >>> find(turns(), lambda turn: len(turn.calls) == 2) == Scenario(calls=[Call(id="c0"), Call(id="c1")])
    True
    """
    if unknown := set(without) - set(FEATURES):
        raise ValueError(f"expected features among {', '.join(FEATURES)}, got {', '.join(sorted(unknown))}")
    return _turns(min_calls, max_calls, [feature for feature in FEATURES if feature not in without])


def streams(*, paced: bool = False) -> st.SearchStrategy[Stream]:
    """Make streams of bytes, in any cut, that start a block at its end; they shrink towards whole events.

    Args:
        paced: whether a rate decides when calls arrive, rather than the calls themselves.
    """
    words: dict[str, st.SearchStrategy[Any]] = {
        "chunks": st.sampled_from(["whole", "events", "random"]) | st.integers(1, 50),
        "lines": st.sampled_from(["lf", "crlf", "cr"]),
        "unknown": st.booleans(),
        "interleaved": st.booleans(),
        "text": st.integers(0, 8),
        "thinking": st.integers(0, 8),
        "pings": st.none() | st.integers(1, 10).map(_time),
    }
    needed: dict[str, st.SearchStrategy[Any]] = {}
    if paced:
        needed["rate"] = st.sampled_from([10, 7, 1, 40])
        words["first_token"] = words["jitter"] = TICKS.map(_time)
        words["stalls"] = st.lists(
            st.fixed_dictionaries({"at": TICKS.map(_time), "takes": TICKS.map(_time)}), max_size=3
        )
    return st.fixed_dictionaries(needed, optional=words).map(lambda chosen: Stream(level="bytes", **chosen))


FAILURES: Final = ("the stream broke off", "eof", "overloaded_error", "invalid_request_error")
"""What responses fail with: a broken connection, an early end, an error that may pass and one that may not (W3)."""


@st.composite
def retried_turns(draw: st.DrawFn, max_calls: int = 4) -> Scenario:
    """Make scenarios of two or three attempts at the response, most of which fail (A8).

    Args:
        max_calls: how many calls each attempt has at most.
    """
    tools = [name for name in _TOOLS if name not in ("Odd", "Gone")]
    stubborn = draw(st.booleans())
    on: set[Feature] = {"failures", "progress", *(("stubborn",) if stubborn else ())}
    attempts = []
    for number in range(draw(st.integers(2, 3))):
        drafts = [draw(_drafts(tools, on)) for _ in range(draw(st.integers(0, max_calls)))]
        drafts.sort(key=lambda draft: draft["at"])
        last = drafts[-1]["at"] if drafts else 0
        events = []
        if draw(st.integers(0, 3)):
            end = {"do": "stream_error", "error": draw(st.sampled_from(FAILURES))}
            events.append(Happening(at=_time(draw(st.integers(last, last + 10))), **end))
        elif draw(st.booleans()):
            events.append(Happening(at=_time(draw(st.integers(0, last + 10))), do="discard"))
        calls = [_call(n, draft) for n, draft in enumerate(drafts)]
        named = [call.model_copy(update={"id": f"{'abc'[number]}{n}"}) for n, call in enumerate(calls)]
        after = _time(draw(TICKS)) if number else 0
        attempts.append(Attempt(after=after, calls=named, events=events))
    used = {call.tool for attempt in attempts for call in attempt.calls}
    options = Options(cascade=draw(st.sampled_from(["exclusive", "any"])), **({"grace": "200ms"} if stubborn else {}))
    return Scenario(options=options, tools={name: _TOOLS[name] for name in _TOOLS if name in used}, attempts=attempts)


@st.composite
def _turns(draw: st.DrawFn, min_calls: int, max_calls: int, allowed: list[Feature]) -> Scenario:
    shapes = [feature for feature in allowed if feature not in INTERRUPTIONS]
    on = draw(st.sets(st.sampled_from(shapes))) if shapes else set()
    tools = [name for name in _TOOLS if name not in _NEEDS or _NEEDS[name] in on]
    # The number first: Hypothesis lowers it and drops any one call with it, however much was drawn for that call.
    drafts = [draw(_drafts(tools, on)) for _ in range(draw(st.integers(min_calls, max_calls)))]
    drafts.sort(key=lambda draft: draft["at"])
    last = drafts[-1]["at"] if drafts else 0
    calls = [_call(n, draft) for n, draft in enumerate(drafts)]
    used = {call.tool for call in calls}
    return Scenario(
        options=draw(_options(on)),
        tools={} if used <= {"Read"} else {name: _TOOLS[name] for name in _TOOLS if name in used},
        calls=calls,
        events=draw(_events(last, on, [feature for feature in allowed if feature in INTERRUPTIONS])),
        consumer=draw(_consumers()) if "consumer" in on else Consumer(),
    )


@st.composite
def _drafts(draw: st.DrawFn, tools: list[str], on: set[Feature]) -> dict[str, Any]:
    """Draw what one call does, its times still in ticks."""
    draft: dict[str, Any] = {"tool": draw(st.sampled_from(tools)), "at": draw(TICKS), "takes": draw(TICKS)}
    ends = ["ok"] + ["error", "raise"] * ("failures" in on) + ["cancelled"] * ("foreign_cancel" in on)
    draft["ends"] = draw(st.sampled_from(ends))
    if "stubborn" in on:
        draft["stubborn"] = draw(st.sampled_from(["no", "signal", "cancel"]))
    if "overrides" in on:
        draft["safe"] = draw(st.sampled_from([None, True, False]))
    if "invalid" in on:
        draft["valid"] = not draw(st.booleans())
    if "progress" in on:
        draft["progress"] = sorted(draw(st.sets(st.integers(0, draft["takes"]), max_size=3)))
    if "modifiers" in on:
        draft["sets"] = draw(st.sets(st.sampled_from("xy")))
    return draft


def _call(n: int, draft: dict[str, Any]) -> Call:
    """Make the turn's ``n``-th call; what it sets is its own id, so that order shows in the context."""
    words = dict(draft, id=f"c{n}", at=_time(draft["at"]), takes=_time(draft["takes"]))
    words["progress"] = [_time(tick) for tick in draft.get("progress", ())]
    words["sets"] = dict.fromkeys(sorted(draft.get("sets", ())), f"c{n}")
    return Call(**words)


@st.composite
def _options(draw: st.DrawFn, on: set[Feature]) -> Options:
    words: dict[str, Any] = {}
    if "limit" in on:
        words["max_concurrency"] = draw(st.sampled_from([10, None, 1, 2, 3, 4]))
    if "eager" in on:
        words["emission"] = draw(st.sampled_from(["ordered", "eager"]))
    if "policies" in on:
        words["cascade"] = draw(st.sampled_from(["exclusive", "any", "never"]))
    if "stubborn" in on:
        words["grace"] = draw(st.sampled_from(["2s", "200ms", "0s"]))
    return Options(**words)


def _consumers() -> st.SearchStrategy[Consumer]:
    leaving = st.none() | st.integers(1, 6)
    return st.builds(lambda takes, leaves: Consumer(takes=_time(takes), leaves_after=leaves), TICKS, leaving)


@st.composite
def _events(draw: st.DrawFn, last: int, on: set[Feature], interruptions: list[Feature]) -> list[Happening]:
    """Draw the response's end and up to two ways to cut the turn short.

    Nothing ends the response before its last call's tick; the user may act at any time.
    """
    count = draw(st.integers(0, 2)) if interruptions else 0
    kinds = dict.fromkeys(draw(st.sampled_from(interruptions)) for _ in range(count))
    events: list[tuple[int, dict[str, Any]]] = []
    for kind in kinds:
        match kind:
            case "submit":
                events.append((draw(st.integers(0, last + 10)), {"do": kind, "force": draw(st.booleans())}))
            case "stop" | "discard":
                events.append((draw(st.integers(0, last + 10)), {"do": kind}))
            case _:
                events.append((draw(st.integers(last, last + 10)), {"do": kind}))
    if "late_end" in on and "stream_error" not in kinds:
        events.append((draw(st.integers(last, last + 10)), {"do": "stream_end"}))
    events.sort(key=lambda event: event[0])
    return [Happening(at=_time(tick), **words) for tick, words in events]


def _time(tick: int) -> str:
    return f"{tick * 100}ms"
