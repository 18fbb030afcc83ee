"""Record, replay, regress: a run in earnest becomes a log, the log messages and a scenario, the scenario a test that
fails when the executor is changed for the worse (issue 6, B030).
"""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from executor import Recorder, ToolSet, ToolUseBlock, Turn, tool
from executor.calls.call import Call
from executor.engines.emission import Emission
from executor.engines.schedule import Schedule
from executor.engines.stopping import Stopping
from scenarios import Scenario, dump, load
from scenarios.traces import read_trace, to_scenario
from sim import Run, check, simulate
from sim.world.expectations import unmet


@tool(concurrency_safe=True)
async def wait(seconds: float) -> str:
    await asyncio.sleep(seconds)
    return f"waited {seconds} s"


@tool(concurrency_safe=True)
def read(path: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": Path(path).read_text(encoding="utf-8")}]


@tool
def write(path: str, text: str) -> dict[str, int]:
    Path(path).write_text(text, encoding="utf-8")
    return {"written": len(text)}


@tool(cascades=True)
async def bash(command: str) -> str:
    process = await asyncio.create_subprocess_shell(command, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"Exit code {process.returncode}\n{said.decode()}")
    return said.decode()


Recorded = tuple[Turn, Path]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """A turn on asyncio's own loop, with real files and a real shell, and the log of it."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "a.txt").write_text("naïve\n", encoding="utf-8")
    asked = [
        ToolUseBlock("slow", "wait", {"seconds": 0.3}),
        ToolUseBlock("quick", "wait", {"seconds": 0.05}),
        ToolUseBlock("none", "dance", {"to": {"z": 1, "a": [2]}}),
        ToolUseBlock("odd", "wait", [1], raw="[1]"),
        ToolUseBlock("read", "read", {"path": str(folder / "a.txt")}),
        ToolUseBlock("write", "write", {"text": "new", "path": str(folder / "a.txt")}),
        ToolUseBlock("again", "read", {"path": str(folder / "a.txt")}),
        ToolUseBlock("fails", "bash", {"command": "echo so far; exit 3"}),
        ToolUseBlock("late", "wait", {"seconds": 0.1}),
    ]

    async def response() -> Any:
        for block in asked:
            yield block
            await asyncio.sleep(0.01)

    async def main() -> Turn:
        recorder = Recorder(path=folder / "turn.jsonl", contents=True)
        turn = Turn(ToolSet([wait, read, write, bash]), announce=recorder)
        async for _ in turn.run(response()):
            pass
        return turn

    return asyncio.run(main()), folder / "turn.jsonl"


@pytest.fixture(scope="module")
def scenario(recorded: Recorded, tmp_path_factory: pytest.TempPathFactory) -> Scenario:
    """The log's turn as a scenario file."""
    (turn,) = read_trace(recorded[1])
    fitted = to_scenario(turn)
    assert fitted is not None
    path = tmp_path_factory.mktemp("fitted") / "turn.yaml"
    path.write_text(dump(fitted), encoding="utf-8")
    return load(path)


def test_the_log_gives_the_messages_the_model_was_given_byte_for_byte(recorded: Recorded) -> None:
    """B030."""
    live, path = recorded
    (turn,) = read_trace(path)
    assert json.dumps(turn.messages) == json.dumps(live.messages)
    answers = [part["tool_use_id"] for part in live.messages[1]["content"]]
    assert answers == ["slow", "quick", "none", "odd", "read", "write", "again", "fails", "late"]


def test_its_scenario_played_on_the_virtual_clock_gives_the_same_messages_too(
    recorded: Recorded, scenario: Scenario
) -> None:
    """B030: and what it expects of a turn is what was recorded."""
    run = simulate(scenario)
    assert json.dumps(run.messages) == json.dumps(recorded[0].messages)
    assert scenario.expect.results is not None
    assert [outcome for _, outcome in scenario.expect.results] == [
        *("ok", "ok", "unknown_tool", "invalid_input", "ok", "ok", "ok", "error", "sibling_error")
    ]
    assert regressions(run, recorded[0]) == []


def regressions(run: Run, live: Turn) -> list[str]:
    """Tell in what a run of the scenario is worse than the recording."""
    words = [] if json.dumps(run.messages) == json.dumps(live.messages) else ["other messages"]
    return [*unmet(run), *(violation.rule for violation in check(run)), *words]


def emit_as_completed(self: Emission[Call]) -> Call | None:
    return self._finished.pop(next(iter(self._finished))) if self._finished else None


def never_cascade(self: Stopping, culprit: Call) -> None:
    pass


def admit_anybody(self: Schedule[Call]) -> Call | None:
    if not self._queue:
        return None
    self._executing += 1
    return self._queue.popleft()


def give_up_silently(self: Schedule[Call]) -> list[Call]:
    self._queue.clear()
    return []


@pytest.mark.parametrize(
    ("owner", "name", "worse", "seen"),
    [
        (Emission, "take", emit_as_completed, "results: expected"),
        (Stopping, "cascade", never_cascade, "started: expected"),
        (Schedule, "admit_next", admit_anybody, "S1"),
        (Schedule, "give_up", give_up_silently, "L1"),
    ],
)
def test_an_executor_that_is_changed_for_the_worse_fails_it(
    recorded: Recorded,
    scenario: Scenario,
    owner: type,
    name: str,
    worse: Callable[..., Any],
    seen: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(owner, name, worse)
    found = regressions(simulate(scenario), recorded[0])
    assert any(each.startswith(seen) for each in found), found
