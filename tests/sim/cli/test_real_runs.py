"""The oracle judges what really happened too: plain asyncio, real waiting, threads and processes, a log on disk.

Nothing here depends on how fast the machine is: what is judged is the order of things, and that nobody waits for longer
than the clock's tolerance.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from executor import (
    Background,
    CallHandle,
    Deny,
    Options,
    PermissionRules,
    Question,
    Recorder,
    Stopped,
    ToolSet,
    ToolUseBlock,
    Turn,
    tool,
)
from executor.events import Kind, load_lines
from executor.recorder import REAL_CLOCK_TOLERANCE_NS
from sim import SimLoop
from sim.oracle import Verdict, judge

MS = 1_000_000


@tool(concurrency_safe=True, interrupt="cancel")
async def read(takes_ms: int, call: CallHandle) -> str:
    call.progress("half")
    await asyncio.sleep(takes_ms / 1000)
    return "text"


@tool(concurrency_safe=True)
def count(takes_ms: int) -> str:
    threading.Event().wait(takes_ms / 1000)  # in a thread: it is a plain function
    return "3"


@tool
async def edit(takes_ms: int, call: CallHandle) -> str | Stopped:
    for _ in range(takes_ms):
        if call.signal.aborted:
            return Stopped("half an edit")
        await asyncio.sleep(0.001)
    return "done"


@tool(cascades=True, interrupt="cancel")
async def bash(command: str) -> str:
    process = await asyncio.create_subprocess_shell(command)
    if status := await process.wait():
        raise RuntimeError(f"Exit code {status}")
    return ""


@tool
async def serve() -> Background:
    return Background("serves", asyncio.sleep(0.05))


@tool(concurrency_safe=True)
async def give_up(call: CallHandle) -> str:
    call.abort_turn()
    return ""


@tool(concurrency_safe=True, needs_permission=True)
async def fetch() -> str:
    return ""


async def refuse(question: Question) -> Deny:
    return Deny("no")


TOOLS = ToolSet([read, count, edit, bash, serve, give_up, fetch])
Asked = list[tuple[str, str, dict[str, Any]]]
MIXED: Asked = [
    ("a", "read", {"takes_ms": 30}),
    ("b", "count", {"takes_ms": 20}),
    ("c", "read", {"takes_ms": 5}),
    ("d", "edit", {"takes_ms": 10}),
    ("e", "nope", {}),
    ("f", "read", {"takes_ms": "long"}),
    ("g", "count", {"takes_ms": 5}),
    ("h", "bash", {"command": "true"}),
    ("i", "read", {"takes_ms": 10}),
    ("j", "read", {"takes_ms": 10}),
]
CASCADE: Asked = [*MIXED[:4], ("x", "bash", {"command": "exit 2"}), *MIXED[4:]]
REMOVE = ("y", "bash", {"command": "rm notes"})
DENIED: Asked = [*MIXED[:6], REMOVE]
FETCH: tuple[str, str, dict[str, Any]] = ("z", "fetch", {})
GIVE_UP: tuple[str, str, dict[str, Any]] = ("z", "give_up", {})


def record(
    path: Path, asked: Asked, engine: Any = "streaming", at_update: Callable[[Turn, int], object] = lambda *_: None
) -> dict[str, str]:
    """Run a turn in earnest and write its log; gives the outcomes."""

    async def response() -> Any:
        for call_id, name, given in asked:
            yield ToolUseBlock(call_id, name, given)
            await asyncio.sleep(0.002)

    async def main() -> dict[str, str]:
        allowed = ("read", "count", "edit", "bash", "serve", "give_up")  # so that a person is asked about a fetch alone
        rules = PermissionRules(deny=("bash(rm:*)",), allow=allowed)
        guards = {"permissions": rules, "can_use_tool": refuse} if asked[-1] in (FETCH, REMOVE) else {}
        options = Options(max_concurrency=2, grace_s=0.05, **guards)
        recorder = Recorder({"scenario": "in earnest"}, path=path)
        turn = Turn(TOOLS, engine=engine, options=options, announce=recorder)
        outcomes = {}
        async for number, update in _numbered(turn.run(response())):
            at_update(turn, number)
            if update.result is not None:
                outcomes[update.result.call_id] = update.result.outcome.value
        return outcomes

    return asyncio.run(main())


async def _numbered(updates: Any) -> Any:
    number = 0
    async for update in updates:
        yield number, update
        number += 1


def judged(path: Path) -> Verdict:
    return judge(*load_lines(path.read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
@pytest.mark.parametrize(
    ("asked", "outcomes"),
    [
        (MIXED, {"e": "unknown_tool", "f": "invalid_input"}),
        (
            CASCADE,
            {"x": "error", "e": "unknown_tool"} | dict.fromkeys("fghij", "sibling_error"),
        ),
        (DENIED, {"y": "denied", "e": "unknown_tool", "f": "invalid_input"}),
    ],
    ids=["mixed", "cascade", "denied"],
)
def test_a_real_run_keeps_every_rule(interlock, tmp_path, engine, asked, outcomes) -> None:
    """P1 to L3, with a header that tells how exact a real clock is."""
    path = tmp_path / "log.jsonl"
    assert record(path, asked, engine) == {call_id: outcomes.get(call_id, "ok") for call_id, _, _ in asked}
    verdict = judged(path)
    assert [str(one) for one in verdict.violations] == []
    assert {"P1", "P2", "P4", "S1", "S2", "S3", "S4", "S5", "S7", "L1", "L3"} <= {*verdict.rules} - {*verdict.skipped}
    ended = interlock("check", path, "--json")
    assert (ended.code, json.loads(ended.out)["files"][0]["violations"]) == (0, [])


@pytest.mark.parametrize("at", [0, 2, 4])
@pytest.mark.parametrize(
    "act", [lambda turn: turn.stop(), lambda turn: turn.submit(force=True)], ids=["stop", "submit"]
)
def test_a_real_run_that_its_user_stops_keeps_every_rule(tmp_path, act, at) -> None:
    """A7, A9: wherever the stop falls."""
    path = tmp_path / "log.jsonl"
    outcomes = record(path, MIXED, at_update=lambda turn, number: act(turn) if number == at else None)
    assert "user_interrupted" in outcomes.values()
    assert [str(one) for one in judged(path).violations] == []


@pytest.mark.parametrize("last", [GIVE_UP, FETCH])
def test_a_real_run_that_ends_from_within_keeps_every_rule(tmp_path, last) -> None:
    """A4, X8, H4: work in the background, then a tool or a person that ends the turn."""
    path = tmp_path / "log.jsonl"
    record(path, [("s", "serve", {}), ("r", "read", {"takes_ms": 9_000}), last])
    _, events = load_lines(path.read_text(encoding="utf-8").splitlines())
    told = [(event.kind.value, event.call) for event in events if event.kind in (Kind.WORK_ENDED, Kind.REFUSED)]
    assert told == [("work_ended", "s"), ("refused", "z")]
    assert [str(one) for one in judged(path).violations] == []


def test_only_a_log_of_a_real_clock_has_a_tolerance(tmp_path) -> None:
    record(tmp_path / "real.jsonl", MIXED[:1])
    assert judged_header(tmp_path / "real.jsonl")["tolerance_ns"] == REAL_CLOCK_TOLERANCE_NS

    async def main() -> dict[str, Any]:
        recorder = Recorder()
        recorder(Kind.STOP, None)
        return recorder.header

    with asyncio.Runner(loop_factory=SimLoop) as runner:
        assert runner.run(main()) == {}
    assert asyncio.run(main()) == {"tolerance_ns": REAL_CLOCK_TOLERANCE_NS}


def judged_header(path: Path) -> dict[str, Any]:
    return load_lines(path.read_text(encoding="utf-8").splitlines())[0]


Rows = list[dict[str, Any]]


def at(rows: Rows, kind: str, call: str) -> int:
    """Find the last row of a kind about a call."""
    return max(n for n, row in enumerate(rows) if (row["kind"], row.get("call")) == (kind, call))


def lose_a_result(rows: Rows) -> None:
    del rows[at(rows, "emitted", "c")]


def answer_twice(rows: Rows) -> None:
    rows.insert(at(rows, "emitted", "c"), rows[at(rows, "emitted", "c")])


def swap_results(rows: Rows) -> None:
    a, b = at(rows, "emitted", "a"), at(rows, "emitted", "b")
    rows[a]["call"], rows[b]["call"] = "b", "a"


def overlap(rows: Rows) -> None:
    entered, left = at(rows, "entered", "h"), at(rows, "left", "d")
    later = rows.pop(left)
    rows.insert(entered, later | {"t": rows[entered]["t"]})


def start_late(rows: Rows) -> None:
    for row in rows[at(rows, "admitted", "d") :]:
        row["t"] += REAL_CLOCK_TOLERANCE_NS + MS


def run_twice(rows: Rows) -> None:
    entered, left = at(rows, "entered", "d"), at(rows, "left", "d")
    rows[left + 1 : left + 1] = [row | {"t": rows[left]["t"]} for row in (rows[entered], rows[left])]


def pass_the_limit(rows: Rows) -> None:
    entered = at(rows, "entered", "c")
    row = rows.pop(entered)
    first = max(at(rows, "entered", "a"), at(rows, "entered", "b"), at(rows, "block", "c"))
    rows.insert(first + 1, row | {"t": rows[first]["t"]})


def leave_a_body(rows: Rows) -> None:
    del rows[at(rows, "left", "j")]


@pytest.mark.parametrize(
    ("plant", "rule"),
    [
        (lose_a_result, "P1"),
        (answer_twice, "P1"),
        (swap_results, "P4"),
        (overlap, "S1"),
        (start_late, "S3"),
        (pass_the_limit, "S5"),
        (run_twice, "S7"),
        (leave_a_body, "L3"),
    ],
)
def test_a_mistake_in_a_real_log_is_found_whatever_the_tolerance(interlock, tmp_path, plant, rule) -> None:
    path = tmp_path / "log.jsonl"
    record(path, MIXED)
    header, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    plant(rows)
    path.write_text("".join(json.dumps(row) + "\n" for row in [header, *rows]), encoding="utf-8")
    assert rule in {violation.rule for violation in judged(path).violations}
    ended = interlock("check", path)
    assert (ended.code, f"{rule} broken at" in ended.out) == (1, True)
