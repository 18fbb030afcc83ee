"""Tidy pandas frames of turns: a row per call, per event, per turn.

The rule: the columns are :data:`~sim.analysis.columns.COLUMNS` whatever is in them, also where there is nothing; what
is not known is missing, and ``frame.attrs["left_out"]`` says what could not be told, and how often. Needs the
``analysis`` extra.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Final

try:
    import pandas as pd
except ImportError as error:
    raise ImportError("frames need pandas: pip install 'interlock[analysis]'") from error

from typing_extensions import TypeIs

from executor.events import Event
from scenarios.traces import TraceReader
from scenarios.traces.model import RecordedTurn
from scenarios.traces.recorded_log import to_log
from sim.explore import Exploration
from sim.oracle import Violation

from .columns import COLUMNS, CallRow, Column, EventRow, SessionRow, TurnRow, seconds
from .courses import HasLog, Log, TurnCourse, courses
from .numbers import numbers
from .placed import PlacedTurn

OneTurn = HasLog | Log | RecordedTurn | TurnCourse
"""What is one turn: a run, a recorder, a log, a recorded turn, or its course."""

Turns = OneTurn | Iterable[OneTurn]
"""One turn or several, such as what :func:`scenarios.read_trace` gives."""


NAMELESS: Final = "?"
"""The source of a turn that has no name."""


def calls_frame(of: Turns) -> pd.DataFrame:
    """Give a frame of calls, one row each, in order of turns and arrival.

    ``attrs`` hold what belongs to no call: ``turns`` (source, turn, engine, how many calls), ``responses`` (turn,
    attempt, seconds it began and ended at, whether it was given up), ``stops`` (turn, seconds, what the user did),
    ``violations`` (turn, rule, seconds, ids, message) and ``left_out``.

    Args:
        of: one turn or several.

    >>> from scenarios import Call, Scenario
    >>> from sim import simulate
    >>> run = simulate(Scenario(calls=[Call(id="a", takes="2s"), Call(id="b", safe=False, takes="1s")]))
    >>> print(calls_frame(run)[["call", "started_s", "ended_s", "blocked_by"]].to_string(index=False))
    call  started_s  ended_s blocked_by
       a        0.0      2.0       <NA>
       b        2.0      3.0          a
    """
    rows: list[CallRow] = []
    left_out: Counter[str] = Counter()
    attrs: dict[Hashable, Any] = {"turns": [], "responses": [], "stops": [], "violations": []}
    for source, turn, engine, one in _each(of):
        course = courses(one)
        broken = _by_call(course.violations)
        rows += [CallRow(source, turn, engine, course, call, broken.get(call.call, ())) for call in course.calls]
        left_out += course.untold
        attrs["turns"].append((source, turn, engine, len(course.calls)))
        earlier = course.responses[:-1]
        attrs["responses"] += [
            (turn, one.attempt, seconds(one.started_ns), seconds(one.ended_ns), one.failed or one in earlier)
            for one in course.responses
        ]
        attrs["stops"] += [(turn, at_ns / 1e9, what) for at_ns, what in course.stops]
        attrs["violations"] += [
            (turn, one.rule, one.at_ns / 1e9, tuple(map(_text, one.calls)), _text(one.message))
            for one in course.violations
        ]
    return _frame("calls", rows, left_out, attrs)


def events_frame(of: Turns) -> pd.DataFrame:
    """Give a frame of events, one row each, in the order of the log; a recorded turn's are those its file tells of.

    Args:
        of: one turn or several.

    Raises:
        TypeError: a course, which has no events.
    """
    rows = [
        EventRow(source, turn, engine, number, event)
        for source, turn, engine, one in _each(of)
        for number, event in enumerate(_events(one))
    ]
    return _frame("events", rows, Counter())


def turns_frame(of: Turns) -> pd.DataFrame:
    """Give a frame of turns, one row each with its numbers.

    Args:
        of: one turn or several; those of a comparison are in its own ``frame()``.
    """
    rows: list[TurnRow] = []
    for source, turn, engine, one in _each(of):
        recorded = one if isinstance(one, RecordedTurn) else None
        line, span_ns = (None, None) if recorded is None else (recorded.line, recorded.makespan_ns)
        rows.append(TurnRow(source, turn, engine, "", line, span_ns, numbers(courses(one))))
    return frame_of_turns(rows, Counter())


def frame_of_turns(rows: Iterable[TurnRow], left_out: Mapping[str, int]) -> pd.DataFrame:
    """Give a frame of turns whose numbers are there already.

    Args:
        rows: in order.
        left_out: what has no row, and how often.
    """
    rows = list(rows)
    unknown = Counter(left_out)
    unknown["turns whose makespan is not known"] += sum(row.numbers.makespan_ns is None for row in rows)
    return _frame("turns", rows, unknown)


def session_frame(turns: Iterable[PlacedTurn]) -> pd.DataFrame:
    """Give a frame of a session: a row for each turn with its numbers, and when it began and beside what.

    Args:
        turns: in any order.
    """
    turns = list(turns)
    first_ns = min((turn.start_ns for turn in turns if turn.start_ns is not None), default=0)
    rows = []
    for place, (name, track, start_ns, course) in enumerate(turns, start=1):
        source, engine = str(course.header.get("scenario", "?")), str(course.header.get("engine", "?"))
        row = TurnRow(source, place, engine, "", None, None, numbers(course))
        rows.append(SessionRow(name, track, None if start_ns is None else start_ns - first_ns, row))
    unknown = Counter({"turns whose makespan is not known": sum(row.turn.numbers.makespan_ns is None for row in rows)})
    unknown["turns whose start is not known"] = sum(row.began_ns is None for row in rows)
    return _frame("session", rows, unknown)


def explored_frame(explored: Exploration) -> pd.DataFrame:
    """Give a frame of an exploration: a row for each outcome, then for each kind of failure, the most frequent first.

    ``attrs["said"]`` says in one line what the schedules prove.

    Args:
        explored: what :func:`sim.explore` gave.

    >>> from scenarios import Call, Scenario
    >>> from sim import explore
    >>> tie = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="1s")])
    >>> print(explored_frame(explore(tie, scheduler="exhaustive")).to_string(index=False))
       what       text  times
    outcome a ok, b ok      2
    """
    outcomes = [("outcome", text, times) for text, times in explored.outcomes.items()]
    failures = [("failure", failure.kind, failure.times) for failure in explored.violations]
    rows = [row for kind in (outcomes, failures) for row in sorted(kind, key=lambda row: -row[2])]
    return _frame("explored", rows, Counter(), {"said": str(explored)})


def _each(of: Turns) -> Iterator[tuple[str, int, str, OneTurn]]:
    """Give each turn with its source, number and engine."""
    source = str(of.path) if isinstance(of, TraceReader) else None
    turns = [of] if _is_one(of) else of
    for place, one in enumerate(turns, start=1):
        if isinstance(one, RecordedTurn):
            yield source or f"turn {one.number}", one.number, "recorded", one
        else:
            header = one[0] if isinstance(one, tuple) else one.header
            engine = "recorded" if header.get("estimates") else str(header.get("engine", "?"))
            yield source or str(header.get("scenario") or NAMELESS), place, engine, one


def _by_call(violations: Iterable[Violation]) -> dict[str, tuple[Violation, ...]]:
    found: dict[str, list[Violation]] = {}
    for one in violations:
        for call in one.calls:
            found.setdefault(call, []).append(one)
    return {call: tuple(named) for call, named in found.items()}


def _is_one(of: Turns) -> TypeIs[OneTurn]:
    if isinstance(of, RecordedTurn | TurnCourse) or hasattr(of, "header"):
        return True
    return isinstance(of, tuple) and len(of) == 2 and isinstance(of[0], Mapping)


def _events(one: OneTurn) -> Iterable[Event]:
    if isinstance(one, TurnCourse):
        raise TypeError(
            "a frame of events: expected a run, a log or a recorded turn, got a course, which has no events"
        )
    if isinstance(one, RecordedTurn):
        return to_log(one)[1]
    return one[1] if isinstance(one, tuple) else one.events


def _frame(
    name: str, rows: list[Any], left_out: Counter[str], attrs: dict[Hashable, Any] | None = None
) -> pd.DataFrame:
    frame = pd.DataFrame({column.name: _values(column, rows) for column in COLUMNS[name]})
    frame.attrs = {**(attrs or {}), "left_out": dict(+left_out)}
    return frame


def _values(column: Column, rows: list[Any]) -> Any:
    values = [column.of(row) for row in rows]
    if column.dtype == "string":
        values = [None if value is None else _text(value) for value in values]
    return pd.array(values, dtype=column.dtype)


def _text(value: str) -> str:
    """Write lone surrogates, which neither Arrow nor a file can hold, as their escapes; pairs as the character."""
    if value.isascii():
        return value
    joined = value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return joined.encode("utf-8", "backslashreplace").decode("utf-8")
