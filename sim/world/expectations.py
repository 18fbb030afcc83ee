"""Compares what a scenario expects with what a run did. Times in nanoseconds from the turn's start."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate

from executor.events import Event, Kind
from scenarios.durations import format_duration
from scenarios.model import SYNTHETIC
from sim.oracle import makespan_ns

from .run import Run


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
    agree = len(expected) == len(got) and all(
        want[0] == have[0] and (want[1] == have[1] or (want[1] == "synthetic_error" and have[1] in SYNTHETIC))
        for want, have in zip(expected, got, strict=True)
    )
    if not agree:
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
    wanted = {
        "started_at": (expect.started_at, Kind.ENTERED),
        "ended_at": (expect.ended_at, Kind.LEFT),
        "emitted_at": (expect.emitted_at, Kind.EMITTED),
    }
    for word, (expected, kind) in wanted.items():
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
    entered, left = _instants(run.events, Kind.ENTERED), _instants(run.events, Kind.LEFT)
    after_all_ns = run.events[-1].t_ns + 1
    for first, second in run.scenario.expect.never_overlap:
        if first not in entered or second not in entered:
            continue
        starts_ns = max(entered[first], entered[second])
        ends_ns = min(left.get(first, after_all_ns), left.get(second, after_all_ns))
        if starts_ns < ends_ns:
            yield f"never_overlap: expected {first} and {second} apart, both ran at {format_duration(starts_ns)}"


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


_CHECKS: tuple[Callable[[Run], Iterator[str]], ...] = (
    _results,
    _withdrawn,
    _started,
    _instants_agree,
    _makespan,
    _overlaps,
    _peak,
    _context,
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
