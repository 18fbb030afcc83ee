"""What turns would have cost: exact sums, the same whoever computes them, and nothing lost by a broken file."""

import shutil
from pathlib import Path
from statistics import pstdev
from typing import Any

import pytest

from scenarios import Call, Scenario, ToolSpec, load, read_trace
from sim import compare
from sim.analysis.compare import Comparison, Total
from sim.analysis.policy import Policy
from sim.analysis.sampling import mean_interval

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "scenarios" / "library"
SAMPLES = ROOT / "scenarios" / "samples"
FIGURE = LIBRARY / "three_calls_in_a_stream.yaml"
S = 1_000_000_000
MS = 1_000_000


def spans(done: Comparison) -> dict[tuple[str, str], int]:
    return {(total.policy, total.engine): total.makespan_ns for total in done.totals()}


def told(done: Comparison) -> tuple[object, ...]:
    return (done.turns, done.left_out, done.damaged, done.unreadable, done.files)


async def forgetful(stage: Any) -> None:
    """Run what is asked for and hand on nothing."""
    async for block in stage.blocks():
        await stage.call(block)


def test_a_turn_is_compared_under_each_engine_and_policy() -> None:
    """E3, T2."""
    done = compare(FIGURE, policies=[Policy(), Policy(limit=1)])
    assert spans(done) == {
        ("as given", "streaming"): 2600 * MS,
        ("as given", "batch"): 2900 * MS,
        ("as given", "serial"): 3100 * MS,
        ("limit 1", "streaming"): 2600 * MS,
        ("limit 1", "batch"): 3100 * MS,
        ("limit 1", "serial"): 3100 * MS,
    }
    assert done.totals()[0] == Total(
        "as given", "streaming", 1, 2600 * MS, 2600 * MS, 300 * MS, (300 * MS,) * 3, faster=1, slower=0, broken={}
    )
    assert [row.numbers.critical_calls for row in done.turns[0][:3]] == [
        ("response", "change"),
        ("response", "second", "change"),
        ("response", "first", "second", "change"),
    ]


@pytest.mark.parametrize(
    ("policy", "makespan_s"),
    [
        ({}, 1),
        ({"cascade": "never"}, 3),
        ({"cascade": "never", "limit": 1}, 5),
        ({"cascade": "never", "limit": "none"}, 2),
        ({"cascade": "never", "start": "message_stop"}, 3.5),
        ({"cascade": "never", "start": "block"}, 3),
    ],
)
def test_each_option_does_what_it_says(policy: dict[str, Any], makespan_s: float) -> None:
    """E3, A2, W5."""
    turn = Scenario(
        tools={"Read": ToolSpec(), "Bash": ToolSpec(safe=True, cascades=True)},
        options={"cascade": "any", "max_concurrency": 2},
        calls=[
            Call(id="a", tool="Bash", takes="1s", ends="error"),
            Call(id="b", takes="2s"),
            Call(id="c", takes="2s"),
        ],
        events=[{"at": "0.5s", "do": "stream_end"}],
    )
    assert spans(compare(turn, ["streaming"], [policy])) == {
        (str(Policy(**policy)), "streaming"): round(makespan_s * S)
    }


def test_a_block_that_waits_for_the_next_one_starts_later() -> None:
    """W5: the second block's event confirms the first, the message's end the second."""
    calls = [Call(id="a", takes="1s"), Call(id="b", at="2s", takes="1s")]
    turn = Scenario(calls=calls, events=[{"at": "2.5s", "do": "stream_end"}])
    starts = {
        start: [step.since_ns for step in compare(turn, ["streaming"], [{"start": start}]).turns[0][0].numbers.critical]
        for start in ("block", "confirmed", "message_stop")
    }
    assert starts == {"block": [0, 2 * S], "confirmed": [0, 2_500 * MS], "message_stop": [0, 2_500 * MS]}


def test_shell_calls_are_classed_by_their_command_or_all_exclusive() -> None:
    """R3."""
    turn = Scenario(
        tools={"Bash": ToolSpec(safe="by_command")},
        calls=[Call(id=name, tool="Bash", takes="1s", input={"command": "ls"}) for name in "abc"],
    )
    by_tool, by_command = Policy(classify="tool"), Policy(classify="command")
    assert spans(compare(turn, ["streaming"], [Policy(), by_tool, by_command])) == {
        ("as given", "streaming"): S,
        ("classify tool", "streaming"): 3 * S,
        ("classify command", "streaming"): S,
    }
    plain = turn.model_copy(update={"tools": {"Bash": ToolSpec(safe=False)}})
    assert list(spans(compare(plain, ["streaming"], [Policy(), by_command])).values()) == [3 * S, S]


def test_eager_emission_changes_when_results_come_not_when_the_turn_ends() -> None:
    """E6."""
    turn = Scenario(calls=[Call(id="a", takes="3s"), Call(id="b", takes="1s")])
    ordered, eager = compare(turn, ["streaming"], [{"emission": "ordered"}, {"emission": "eager"}]).turns[0]
    assert (ordered.numbers.makespan_ns, eager.numbers.makespan_ns) == (3 * S, 3 * S)
    assert (ordered.numbers.first_result_ns, eager.numbers.first_result_ns) == (3 * S, S)


def test_recorded_turns_are_compared_and_what_cannot_be_says_why() -> None:
    done = compare(list(read_trace(SAMPLES / "failing_call_and_interrupt.jsonl")))
    assert len(done.turns) == 3
    assert {row.numbers.estimated for row in done.rows} == {True}
    silent = [turn._replace(first_ns=None) for turn in read_trace(SAMPLES / "batch_era.jsonl")]
    left = compare(silent)
    assert (left.turns, left.left_out, left.totals()) == ([], {"its times are unknown": 2}, [])
    assert compare(Scenario(calls=[Call(id="a")]), [forgetful]).left_out == {"it has no result under your forgetful": 1}
    assert compare(Scenario(calls=[Call(id="a", ends="hang")])).left_out == {"it comes to no end under streaming": 1}


def test_turns_whose_classes_their_recording_refutes_are_left_out_whatever_is_asked() -> None:
    """Two edits that ran side by side were no edits that run alone."""
    turn = next(iter(read_trace(SAMPLES / "batch_era.jsonl")))
    end_ns = turn.calls[-1].ended_ns
    assert end_ns is not None
    calls = tuple(
        call._replace(tool="Edit", class_by=False, started_ns=call.arrived_ns, ended_ns=end_ns + 9 * S)
        for call in turn.calls
    )
    beside = turn._replace(calls=calls)
    for engines in (["streaming", "batch"], ["serial"]):
        done = compare(beside, engines, [{"limit": 1}, {}])
        assert (done.turns, done.left_out) == (
            [],
            {"calls ran side by side that the assumed classes keep apart": 1},
        )
    assert len(compare(turn, ["serial"]).turns) == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six sessions, some of them broken, copied or no recording at all, and a scenario."""
    lines = (SAMPLES / "failing_call_and_interrupt.jsonl").read_text(encoding="utf-8")
    for number in range(6):
        deep = tmp_path / f"project {number % 3}"
        deep.mkdir(exist_ok=True)
        own = lines.replace("toolu_", f"toolu_{number}_").replace("msg_", f"msg_{number}_")
        (deep / f"session-{number:02}.jsonl").write_text(own, encoding="utf-8")
    shutil.copy(tmp_path / "project 0" / "session-00.jsonl", tmp_path / "project 2" / "resumed.jsonl")
    (tmp_path / "project 1" / "broken.jsonl").write_bytes(b"\x00\xff{{{ no recording")
    (tmp_path / "project 1" / "torn.jsonl").write_text(lines[:-400] + "\x00{torn", encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    shutil.copy(FIGURE, tmp_path / "turn.yaml")
    shutil.copy(FIGURE, tmp_path / ".hidden" / "turn.yaml")
    return tmp_path


def test_a_folder_is_compared_alike_by_any_number_of_jobs_and_a_broken_file_loses_nothing_else(folder: Path) -> None:
    """B094: what a resumed session repeats counts once."""
    alone = compare(folder, policies=[{}, {"limit": 1}])
    assert told(compare(folder, policies=[{}, {"limit": 1}], jobs=2)) == told(alone)
    assert (alone.files, list(alone.unreadable)) == (9, [str(folder / "project 1" / "broken.jsonl")])
    assert alone.left_out["it repeats calls of an earlier file"] == 3
    assert list(alone.damaged) == [str(folder / "project 1" / "torn.jsonl")]
    assert [turn[0].source for turn in alone.turns[:4]] == [
        str(folder / "turn.yaml"),
        *[str(folder / "project 0" / "session-00.jsonl")] * 3,
    ]
    assert len({turn[0].source for turn in alone.turns}) == 8


def test_turns_of_every_kind_keep_their_order_and_progress_is_told() -> None:
    heard: list[tuple[int, int]] = []
    turns = [Scenario(calls=[Call(id="a", takes=f"{n + 1}s")]) for n in range(40)]
    done = compare([*turns, FIGURE], ["streaming"], on_progress=lambda *count: heard.append(count))
    assert [row.numbers.makespan_ns for row in done.rows] == [*((n + 1) * S for n in range(40)), 2600 * MS]
    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_an_interrupt_keeps_what_was_done() -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    done = compare([FIGURE, FIGURE, FIGURE], on_progress=stop)
    assert (done.interrupted, len(done.turns)) == (True, 2)


@pytest.mark.parametrize(
    ("engines", "policies", "message"),
    [
        (["streming"], [{}], "streming"),
        (["batch"], [{"limit": 0}], "limit: expected a number from 1 on, or none for no limit, got 0"),
        (["batch"], [{"emission": "egaer"}], "did you mean 'eager'"),
        (["batch"], [{"limits": 1}], "policy: expected options among limit, .*, got 'limits'; did you mean 'limit'"),
    ],
)
def test_what_does_not_exist_is_refused_before_anything_runs(
    engines: list[str], policies: list[dict[str, Any]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        compare(FIGURE, engines, policies)


def test_an_executor_of_ones_own_is_compared_too() -> None:
    async def one_by_one(stage):  # type: ignore[no-untyped-def]
        async for block in stage.blocks():
            stage.emit(await stage.call(block))

    calls = [Call(id="a", takes="2s"), Call(id="b", takes="1s")]
    done = compare(Scenario(calls=calls), ["streaming", one_by_one])
    assert [total.makespan_ns for total in done.totals()] == [2 * S, 3 * S]
    stopped = Scenario(calls=calls, events=[{"at": "1s", "do": "stop"}])
    assert not compare(stopped, [one_by_one]).turns


def test_a_mean_comes_with_an_interval_that_repeats() -> None:
    sample = [float(n % 10) for n in range(200)]
    found = mean_interval(sample)
    assert found is not None
    assert found == mean_interval(sample)
    assert found.low < found.mean == 4.5 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * pstdev(sample) / 200**0.5, rel=0.1)
    rare = mean_interval([0.0] * 3_000 + [-1e6, -1e5, -1e4])
    assert rare is not None
    assert rare.low < rare.mean < rare.high <= 0
    many = mean_interval(sample * 200)
    assert many is not None
    assert many.high - many.low == pytest.approx((found.high - found.low) / 200**0.5, rel=0.1)
    assert mean_interval([]) is None


def test_a_comparison_is_a_frame_that_says_what_it_leaves_out() -> None:
    pytest.importorskip("pandas", reason="the analysis extra is not installed")
    done = compare(
        [FIGURE, SAMPLES / "missing.jsonl", Scenario(calls=[Call(id="a", ends="hang")])], policies=[{}, {"limit": 1}]
    )
    frame = done.frame()
    assert list(frame.policy) == ["as given"] * 3 + ["limit 1"] * 3
    assert list(frame.makespan_s) == [2.6, 2.9, 3.1, 2.6, 3.1, 3.1]
    assert frame.attrs["left_out"] == {"turns: it comes to no end under streaming": 1, "files that cannot be read": 1}


def test_a_library_of_turns_keeps_t2_in_sum() -> None:
    """T2."""
    turns = [load(path) for path in sorted(LIBRARY.glob("*calls*.yaml"))]
    streaming, batch, serial = compare(turns).totals()
    assert streaming.makespan_ns <= batch.makespan_ns <= serial.makespan_ns
    assert streaming.lower_bound_ns <= streaming.makespan_ns
