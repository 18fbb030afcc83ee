"""Compares what a scenario expects with what a run did. Times in nanoseconds from the turn's start."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Final

from executor.events import Event, Kind
from scenarios.durations import format_duration
from scenarios.model import SYNTHETIC
from sim.oracle import makespan_ns

from .run import Run

_INSTANTS: Final = {
    "started_at": Kind.ENTERED,
    "ended_at": Kind.LEFT,
    "emitted_at": Kind.EMITTED,
    "asked_at": Kind.QUESTION_ASKED,
    "answered_at": Kind.QUESTION_ANSWERED,
    "work_ended_at": Kind.WORK_ENDED,
}


def unmet(run: Run) -> list[str]:
    """Tell what a run did otherwise than its scenario expects, a line each; nothing for an engine it is silent on."""
    expect = run.scenario.expect
    if run.engine not in expect.engines:
        return []
    return [failure for check in _CHECKS for failure in check(run)]


def _results(run: Run) -> Iterator[str]:
    expected = run.scenario.expect.results
    got = [(result.call_id, result.outcome) for result in run.results]
    if expected is None:
        return
    if not _agree(expected, got):
        yield f"results: expected {_pairs(expected)}, got {_pairs(got)}"


def _withdrawn(run: Run) -> Iterator[str]:
    expected = run.scenario.expect.withdrawn
    got = [call for event in run.events if event.kind is Kind.DISCARD for call in event.detail["withdrawn"]]
    if expected is not None and sorted(expected) != sorted(got):
        yield f"withdrawn: expected {_listed(expected)}, got {_listed(got)}"


def _started(run: Run) -> Iterator[str]:
    expected = run.scenario.expect.started
    got = list(_instants(run.events, Kind.ENTERED))
    if expected is not None and sorted(expected) != sorted(got):
        yield f"started: expected {_listed(expected)}, got {_listed(got)}"


def _instants_agree(run: Run) -> Iterator[str]:
    expect = run.scenario.expect
    for word, kind in _INSTANTS.items():
        expected = getattr(expect, word)
        got = _instants(run.events, kind)
        for call, at_ns in expected.items():
            if got.get(call) != at_ns:
                have = format_duration(got[call]) if call in got else "never"
                yield f"{word}.{call}: expected {format_duration(at_ns)}, got {have}"


def _makespan(run: Run) -> Iterator[str]:
    expect = run.scenario.expect
    span_ns = makespan_ns(run.events)
    have = "no end" if span_ns is None else format_duration(span_ns)
    exact_ns = expect.makespan_ns(run.engine)
    if exact_ns is not None and span_ns != exact_ns:
        yield f"makespan: expected {format_duration(exact_ns)}, got {have}"
    if expect.finished_by is not None and (span_ns is None or span_ns > expect.finished_by):
        yield f"finished_by: expected {format_duration(expect.finished_by)} at the latest, got {have}"


def _overlaps(run: Run) -> Iterator[str]:
    entered = _instants(run.events, Kind.ENTERED)
    # What goes on in the background has ended when its work has.
    left = {**_instants(run.events, Kind.LEFT), **_instants(run.events, Kind.WORK_ENDED)}
    after_all_ns = run.events[-1].t_ns + 1
    for first, second in run.scenario.expect.never_overlap:
        if first not in entered or second not in entered:
            continue
        starts_ns = max(entered[first], entered[second])
        ends_ns = min(left.get(first, after_all_ns), left.get(second, after_all_ns))
        if starts_ns < ends_ns:
            yield f"never_overlap: expected {first} and {second} apart, both ran at {format_duration(starts_ns)}"


def _table(run: Run) -> Iterator[str]:
    for n, row in enumerate(run.scenario.table):
        if row.reads_only != row.read_only:
            of = row.cmd if row.cmd is not None else row.annotations
            yield f"table[{n}]: expected read_only: {str(row.read_only).lower()} of {of!r}, got the other"


def _peak(run: Run) -> Iterator[str]:
    expected = run.scenario.expect.peak
    steps = ({Kind.ENTERED: 1, Kind.LEFT: -1}.get(event.kind, 0) for event in run.events)
    got = max(accumulate(steps), default=0)
    if expected is not None and got != expected:
        yield f"peak: expected {expected} bodies at once at most, got {got}"


def _context(run: Run) -> Iterator[str]:
    expected = run.scenario.expect.context
    if expected is not None and dict(run.context) != expected:
        yield f"context: expected {expected}, got {dict(run.context)}"


def _bodies(run: Run) -> Iterator[str]:
    """What bodies saw of the context, and what they were given."""
    entered = {event.call: event.detail for event in run.events if event.kind is Kind.ENTERED}
    for word, key in (("saw", "sees"), ("given", "input")):
        for call, expected in getattr(run.scenario.expect, word).items():
            got = entered[call].get(key, {}) if call in entered else None
            if got != expected:
                yield f"{word}.{call}: expected {expected}, got {got if got is not None else 'no body'}"


def _contents(run: Run) -> Iterator[str]:
    """What results say, and what stands beside them."""
    expect, results = run.scenario.expect, {result.call_id: result for result in run.results}
    for call, text in expect.content.items():
        got = results[call].content if call in results else None
        if got != text:
            yield f"content.{call}: expected {text!r}, got {got!r}"
    for call, part in expect.says.items():
        said = str(results[call].content) if call in results else ""
        if part not in said:
            yield f"says.{call}: expected {part!r} in what it says, got {said!r}"
    for call, expected in expect.attachments.items():
        beside = results[call].attachments if call in results else ()
        pairs = tuple((one.kind, str(one.content)) for one in beside)
        if pairs != expected:
            yield f"attachments.{call}: expected {list(expected)}, got {list(pairs)}"
    unknown = [result.call_id for result in run.results if result.effect_unknown]
    yield from _same("effect_unknown", expect.effect_unknown, unknown)


def _end(run: Run) -> Iterator[str]:
    """How the turn ends, and what it leaves."""
    expect, last = run.scenario.expect, run.events[-1].detail
    if expect.should_continue is not None and run.should_continue is not expect.should_continue:
        yield f"should_continue: expected {expect.should_continue}, got {run.should_continue}"
    if expect.turn is not None and last.get("how") != expect.turn:
        yield f"turn: expected {expect.turn}, got {last.get('how', 'no end')}"
    closing = [(call, outcome) for call, outcome in last.get("closing", ())]
    if expect.closing is not None and not _agree(expect.closing, closing):
        yield f"closing: expected {_pairs(expect.closing)}, got {_pairs(closing)}"
    yield from _same("abandoned", expect.abandoned, last.get("abandoned", ()))
    yield from _same("processes_left", expect.processes_left, run.processes)
    blocks = run.messages[-1]["content"] if run.messages else ()
    told = [f"{block['type']} {block['tool_use_id']}" if "tool_use_id" in block else block["type"] for block in blocks]
    yield from _same("message_blocks", expect.message_blocks, told)


def _same(word: str, expected: Iterable[str] | None, got: Iterable[str]) -> Iterator[str]:
    if expected is not None and list(expected) != list(got):
        yield f"{word}: expected {_listed(expected)}, got {_listed(got)}"


def _agree(expected: Sequence[tuple[str, str]], got: Sequence[tuple[str, str]]) -> bool:
    return len(expected) == len(got) and all(
        want[0] == have[0] and (want[1] == have[1] or (want[1] == "synthetic_error" and have[1] in SYNTHETIC))
        for want, have in zip(expected, got, strict=True)
    )


_CHECKS: tuple[Callable[[Run], Iterator[str]], ...] = (
    _results,
    _withdrawn,
    _started,
    _instants_agree,
    _makespan,
    _overlaps,
    _table,
    _peak,
    _context,
    _bodies,
    _contents,
    _end,
)


def _instants(events: Iterable[Event], kind: Kind) -> Mapping[str, int]:
    """When each call had its event of a kind; of what was emitted, its result."""
    return {
        event.call: event.t_ns
        for event in events
        if event.kind is kind and event.call is not None and event.detail.get("what") != "progress"
    }


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return _listed(f"{call} {outcome}" for call, outcome in pairs)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"
