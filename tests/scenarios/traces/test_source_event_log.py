"""Our own event logs as recordings: everything is told, and what is damaged costs no more than itself (DESIGN 5)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from executor.events import Event, Kind, dump_lines
from scenarios import Call, Scenario, ToolSpec
from scenarios.traces import RecordedTurn, TraceReader, read_trace
from sim import Run, simulate

S = 1_000_000_000
Write = Callable[..., Path]

TURN = Scenario(
    tools={"Read": ToolSpec(interrupt="cancel"), "Bash": ToolSpec(safe=False, cascades=True)},
    calls=[
        Call(id="a", at="500ms", takes="2s", progress=["1s"]),
        Call(id="b", at="1s", takes="200ms", ends="error"),
        Call(id="c", tool="Bash", at="2s", takes="1s", ends="error"),
        Call(id="d", at="2500ms", takes="1s"),
    ],
    events=[{"at": "3s", "do": "stream_end"}],
)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write lines into a file."""

    def put(*lines: str) -> Path:
        path = tmp_path / "log.jsonl"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return put


def read(path: Path) -> tuple[TraceReader, list[RecordedTurn]]:
    reader = read_trace(path)
    return reader, list(reader)


def instants(turn: RecordedTurn) -> list[tuple[str, Any, Any, Any, str]]:
    return [
        (call.id, call.arrived_ns, call.started_ns, call.ended_ns, str(call.outcome).removeprefix("Outcome."))
        for call in turn.calls
    ]


@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
def test_a_simulated_run_is_read_back_as_it_was(write: Write, engine: Any) -> None:
    run = simulate(TURN, engine)
    reader, (turn,) = read(write(*run.lines))
    assert (reader.format, reader.damage, reader.strays) == ("event_log", [], [])
    assert turn.log == (run.header, run.events)
    assert (turn.choice.assumed.engine, turn.choice.why) == (engine, "the log's header says so")
    assert turn.emitted == tuple(result.call_id for result in run.results)
    assert (turn.first_ns, turn.last_block_ns) == (0, 3 * S)


def test_a_call_is_told_from_its_admission_to_its_settlement_with_its_own_class(write: Write) -> None:
    _, (turn,) = read(write(*simulate(TURN).lines))
    assert instants(turn) == [
        ("a", S // 2, S // 2, 5 * S // 2, "ok"),
        ("b", S, S, 6 * S // 5, "error"),
        ("c", 2 * S, 5 * S // 2, 7 * S // 2, "error"),
        ("d", 5 * S // 2, None, 7 * S // 2, "sibling_error"),
    ]
    assert {call.start_basis for call in turn.calls[:3]} == {"recorded"}
    assert [(call.safe, call.estimated) for call in turn.calls] == [(True, False)] * 2 + [(False, False), (True, False)]
    assert turn.calls[0].progress_ns == (3 * S // 2,)


def outside(run: Run) -> list[str]:
    """The lines that any executor could have given."""
    seen = (event for event in run.events if event.kind not in (Kind.ADMITTED, Kind.COMPLETED, Kind.YIELDED))
    return list(dump_lines(run.header, seen))


def test_from_outside_a_call_is_told_from_its_body_s_beginning_to_its_end(write: Write) -> None:
    _, (turn,) = read(write(*outside(simulate(TURN))))
    assert [row[2:4] for row in instants(turn)][:3] == [(S // 2, 5 * S // 2), (S, 6 * S // 5), (5 * S // 2, 7 * S // 2)]


def test_several_turns_in_a_file_may_use_the_same_ids(write: Write) -> None:
    first, second = simulate(TURN), simulate(TURN, "serial")
    reader, turns = read(write(*first.lines, *second.lines))
    assert [turn.log for turn in turns] == [(run.header, run.events) for run in (first, second)]
    assert (reader.damage, [turn.number for turn in turns]) == ([], [1, 2])


def test_a_stop_a_submit_and_the_closing_report_are_told(write: Write) -> None:
    for do, at_ns in (("stop", S), ("submit", S)):
        scenario = Scenario(
            tools={"Read": ToolSpec(interrupt="cancel")},
            calls=[Call(id="a", takes="9s"), Call(id="b", takes="100ms")],
            events=[{"at": "1s", "do": do}],
            consumer={"leaves_after": 1},
        )
        _, (turn,) = read(write(*simulate(scenario).lines))
        assert turn.interrupted_ns == at_ns
        assert [str(call.outcome) for call in turn.calls] == ["user_interrupted", "ok"]


def test_of_several_attempts_the_last_one_counts_and_the_log_has_all(write: Write) -> None:
    """A8."""
    attempts = [
        {"calls": [{"id": "a", "takes": "9s"}], "events": [{"at": "1s", "do": "stream_error"}]},
        {"after": "1s", "calls": [{"id": "b", "at": "1s", "takes": "1s"}]},
    ]
    run = simulate(Scenario(attempts=attempts))
    reader, (turn,) = read(write(*run.lines))
    assert turn.log == (run.header, run.events)
    assert instants(turn) == [("b", 3 * S, 3 * S, 4 * S, "ok")]
    assert (turn.first_ns, reader.skipped) == (2 * S, {"calls of responses that failed and were asked for again": 1})


LINES = simulate(TURN).lines


def test_a_last_line_that_is_cut_off_leaves_the_log_whole_up_to_it(write: Write) -> None:
    reader, (turn,) = read(write(*LINES[:-1], LINES[-1][:20]))
    assert turn.log is not None
    assert [event.kind for event in turn.log[1]][-1] is not Kind.TURN_ENDED
    assert len(turn.log[1]) == len(LINES) - 2
    assert [damage.line for damage in reader.damage] == [len(LINES)]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ('{"t":0,"kind":"danced"}', "not a row of an event log, skipped: 'danced' is not a valid Kind"),
        ('{"kind":"stop"}', "not a row of an event log, skipped: 't'"),
        ('{"t":-1,"kind":"stop"}', "not a row of an event log, skipped: t: expected nanoseconds from 0 on, got -1"),
        ('{"t":0,"ki', 'not whole JSON, skipped: \'{"t":0,"ki\''),
    ],
)
def test_a_bad_row_costs_itself_and_the_turn_is_no_whole_log_then(write: Write, row: str, told: str) -> None:
    whole = [instants(turn) for turn in read(write(*LINES))[1]]
    reader, turns = read(write(*LINES[:5], row, *LINES[5:]))
    assert [instants(turn) for turn in turns] == whole
    assert [turn.log for turn in turns] == [None]
    assert [(damage.line, damage.what) for damage in reader.damage] == [(6, told)]


def test_damage_in_one_turn_leaves_the_next_one_whole(write: Write) -> None:
    _, turns = read(write(*LINES[:5], "{}", *LINES[5:], *LINES))
    assert [turn.log is None for turn in turns] == [True, False]


def test_a_row_whose_instant_is_wrong_does_not_cost_those_after_it(write: Write) -> None:
    late = json.dumps(json.loads(LINES[2]) | {"t": 10**15})
    reader, (turn,) = read(write(*LINES[:2], late, *LINES[3:]))
    assert len(turn.calls) == 4
    assert turn.log is None
    assert {damage.what for damage in reader.damage} >= {"a row before the one above it; both are kept"}


def test_rows_without_their_header_are_read_all_the_same(write: Write) -> None:
    reader, (turn,) = read(write(*LINES[1:]))
    assert (turn.log, turn.choice.profile) == (None, None)
    assert [call.outcome for call in turn.calls] == ["ok", "error", "error", "sibling_error"]
    assert [damage.what for damage in reader.damage] == ["rows without the header of their log"]


def test_a_log_of_another_version_is_passed_over_and_said(write: Write) -> None:
    reader, turns = read(write('{"log":2}', *LINES[1:], *LINES))
    assert [turn.number for turn in turns] == [1]
    assert [damage.what for damage in reader.damage] == ["log version 2, this Interlock reads 1; its rows are skipped"]


def test_an_outcome_that_is_none_is_an_error_and_said(write: Write) -> None:
    rows = [
        Event(0, Kind.BLOCK, "a", {"tool": "x", "index": 0}),
        Event(1, Kind.EMITTED, "a", {"what": "result", "outcome": "fine"}),
        Event(1, Kind.EMITTED, "z", {"what": "result", "outcome": "ok"}),
    ]
    reader, (turn,) = read(write(*dump_lines({}, rows)))
    assert [call.outcome for call in turn.calls] == ["error"]
    assert [damage.what for damage in reader.damage] == [
        "an outcome that is none, 'fine', taken as an error",
        "tool_result for z, but no call of that id stands before it",
    ]


def test_a_log_with_contents_tells_inputs_and_messages_and_others_tell_none(write: Write) -> None:
    """B030."""
    said = [{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "x", "input": {"z": 1, "a": 2}}]}]
    said.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "done"}]})
    rows = [
        Event(0, Kind.BLOCK, "a", {"tool": "x", "index": 0, "input": {"z": 1, "a": 2}}),
        Event(1, Kind.COMPLETED, "a", {"outcome": "ok", "content": "done"}),
        Event(1, Kind.EMITTED, "a", {"what": "result", "outcome": "ok"}),
    ]
    _, (turn,) = read(write(*dump_lines({"contents": True}, rows)))
    assert json.dumps(turn.messages) == json.dumps(said)
    assert turn.calls[0].input == {"z": 1, "a": 2}
    _, (other,) = read(write(*dump_lines({}, rows)))
    assert other.messages is None
