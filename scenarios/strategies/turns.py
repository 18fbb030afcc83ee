"""Random turns, put together of random parts. Unit: ticks of 100 ms until a part is made."""

from collections.abc import Collection
from typing import Any, Final

from hypothesis import strategies as st

from ..calls import ToolSpec
from ..model import Consumer, Happening, Scenario
from ..permissions import Answer, Permissions
from .calls import Draft, call_of, drafts, tools
from .features import INTERRUPTIONS, Feature, allowed
from .grid import TICKS, time
from .hooks import hooks
from .permissions import answers, rules
from .users import consumers, events, options


def turns(
    max_calls: int = 12,
    *,
    min_calls: int = 0,
    without: Collection[Feature] = (),
    always: Collection[Feature] = (),
) -> st.SearchStrategy[Scenario]:
    """Make scenarios of ``min_calls`` to ``max_calls`` calls that have none of the features in ``without``.

    They shrink towards no calls at all, then towards safe reads at 0 that take no time and end well.

    Args:
        max_calls: how many calls there are at most.
        min_calls: and at least.
        without: features that are switched off in every turn.
        always: features, other than :data:`INTERRUPTIONS`, that are on in every turn.

    Raises:
        ValueError: a feature that is not in :data:`FEATURES`.

    >>> from hypothesis import find
    >>> from scenarios import Call
    >>> find(turns(), lambda turn: len(turn.calls) == 2) == Scenario(calls=[Call(id="c0"), Call(id="c1")])
    True
    """
    allowed(always)
    return _turns(min_calls, max_calls, allowed(without), frozenset(always))


_SELDOM: Final = st.sampled_from([False, False, False, True])


@st.composite
def _turns(
    draw: st.DrawFn, min_calls: int, max_calls: int, allowed: list[Feature], always: frozenset[Feature]
) -> Scenario:
    shapes = [feature for feature in allowed if feature not in INTERRUPTIONS]
    # One draw for each, whatever the others: so that each can be switched off by itself when an example is shrunk.
    on = {feature for feature in shapes if draw(_SELDOM)} | always
    known = draw(tools(on))
    # The number first: Hypothesis lowers it and drops any one call with it, however much was drawn for that call.
    drawn = [draw(drafts(known, on)) for _ in range(draw(st.integers(min_calls, max_calls)))]
    drawn.sort(key=lambda draft: draft["at"])
    last = drawn[-1]["at"] if drawn else 0
    words: dict[str, Any] = {"permissions": draw(_permissions(list(known), on))}
    happenings = draw(events(last, on, [feature for feature in allowed if feature in INTERRUPTIONS]))
    if words["permissions"].asker == "person":
        happenings += draw(_answers(drawn, on))
        happenings.sort(key=lambda event: event.at_ns)
    calls = [call_of(f"c{n}", draft) for n, draft in enumerate(drawn)]
    used = {call.tool for call in calls}
    if "hooks" in on:
        rewriting, endless, stubborn = ("rewrites" in on, "deadlines" in on, "stubborn" in on)
        words["hooks"] = draw(hooks(list(known), rewriting=rewriting, endless=endless, stubborn=stubborn))
    return Scenario(
        options=draw(options(on)),
        tools=_worth_naming({name: tool for name, tool in known.items() if name in used}),
        calls=calls,
        events=happenings,
        consumer=draw(consumers()) if "consumer" in on else Consumer(),
        **words,
    )


def _worth_naming(used: dict[str, ToolSpec]) -> dict[str, ToolSpec]:
    return {} if used in ({}, {"Read": ToolSpec()}) else used


@st.composite
def _permissions(draw: st.DrawFn, tools: list[str], on: set[Feature]) -> Permissions:
    """Make the rules, and somebody to ask or nobody; with somebody, no question stays open for ever."""
    words: dict[str, Any] = {}
    if "rules" in on:
        words |= draw(rules(tools))
    if "questions" in on and draw(st.booleans()):
        words |= {"asker": "person", "default": draw(st.sampled_from(["allow", "ask"]))}
        if "deadlines" in on and draw(st.booleans()):
            words["timeout"] = time(draw(st.integers(1, 10)))
        else:
            words["answer"] = draw(_answer(on))
    return Permissions(**words)


@st.composite
def _answers(draw: st.DrawFn, drawn: list[Draft], on: set[Feature]) -> list[Happening]:
    """Give calls answers of their own: words of the call, or events, which come back."""
    at_instants = []
    for n, draft in enumerate(drawn):
        match draw(st.sampled_from(["nothing", "words", "event"])):
            case "words":
                draft["answer"] = draw(_answer(on))
            case "event":
                do = draw(st.sampled_from(["allow", *["refuse"] * ("refusals" in on)]))
                at_instants.append(Happening(at=time(draw(TICKS)), do=do, id=f"c{n}"))
    return at_instants


def _answer(on: set[Feature]) -> st.SearchStrategy[Answer]:
    says = ["allow", "deny", *["refuse"] * ("refusals" in on)]
    return answers(says, rewriting="rewrites" in on)
