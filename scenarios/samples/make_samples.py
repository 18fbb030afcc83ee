"""Write the sample recordings that lie beside this script: ``python scenarios/samples/make_samples.py``.

The rule: the format is that of real session transcripts, the content is made up, and every run writes the same bytes.
Times are seconds from the session's beginning.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from scenarios.samples.other_formats import other_formats

Block = dict[str, Any]


def text(words: str) -> Block:
    """Give a block of plain text."""
    return {"type": "text", "text": words}


def thinking(words: str) -> Block:
    """Give a thinking block."""
    return {"type": "thinking", "thinking": words, "signature": "c2FtcGxl"}


def tool(call_id: str, name: str, **given: Any) -> Block:
    """Give a ``tool_use`` block."""
    return {"type": "tool_use", "id": f"toolu_{call_id}", "name": name, "input": given}


class Session:
    """The lines of one session, each a child of the line before unless told otherwise."""

    def __init__(self, number: int, version: str, begins: datetime) -> None:
        self.lines: list[dict[str, Any]] = []
        self._number, self._version, self._begins = number, version, begins
        self._parent: str | None = None
        self._call_lines: dict[str, str] = {}
        self._responses = 0

    def encode(self) -> bytes:
        """Give the file: one object a line."""
        return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in self.lines)

    def summary(self, words: str) -> None:
        """Write the line that names an earlier session."""
        self.lines.append({"type": "summary", "summary": words, "leafUuid": self._uuid(0)})

    def prompt(self, at_s: float, words: str, *, agent: str | None = None) -> None:
        """Write what the user, or the call that starts a sub-agent, asks for."""
        self._write("user", at_s, {"message": {"role": "user", "content": words}}, agent)

    def response(self, *blocks: tuple[float, Block], agent: str | None = None) -> None:
        """Write a response whose blocks are complete at the given times, with nothing in between."""
        self.open_response()
        for at_s, block in blocks:
            self.block(at_s, block, agent=agent)

    def open_response(self) -> None:
        """Begin a response; its blocks follow one by one."""
        self._responses += 1

    def block(self, at_s: float, block: Block, *, agent: str | None = None) -> None:
        """Write one block of the response that is open."""
        name = f"{self._number}{self._responses:03d}"
        message = {
            "model": "sample-model",
            "id": f"msg_{name}",
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 1200, "output_tokens": 40, "service_tier": "standard"},
        }
        uuid = self._write("assistant", at_s, {"message": message, "requestId": f"req_{name}"}, agent)
        if block["type"] == "tool_use":
            self._call_lines[block["id"]] = uuid

    def result(
        self,
        at_s: float,
        call_id: str,
        words: str,
        *,
        detail: object = None,
        is_error: bool = False,
        agent: str | None = None,
    ) -> None:
        """Write one result; ``detail`` is the short form for people, a string for errors."""
        name = f"toolu_{call_id}"
        block: Block = {"tool_use_id": name, "type": "tool_result", "content": words}
        if is_error:
            block["is_error"] = True
        fields: dict[str, Any] = {"message": {"role": "user", "content": [block]}}
        if detail is None:
            detail = f"Error: {words}" if is_error else {"content": words}
        fields["toolUseResult"] = detail
        fields["sourceToolAssistantUUID"] = self._call_lines[name]
        self._parent = self._call_lines[name]
        self._write("user", at_s, fields, agent)

    def interrupt(self, at_s: float, words: str = "[Request interrupted by user for tool use]") -> None:
        """Write the mark of a user's stop."""
        self._write("user", at_s, {"message": {"role": "user", "content": [text(words)]}})

    def hook(self, at_s: float, event: str, call_id: str, tool_name: str) -> None:
        """Write the line of a hook that runs before or after a call."""
        name = f"toolu_{call_id}"
        data = {"type": "hook_progress", "hookEvent": event, "hookName": f"{event}:{tool_name}", "command": "audit"}
        self._write("progress", at_s, {"data": data, "toolUseID": name, "parentToolUseID": name})

    def bash_progress(self, at_s: float, call_id: str, elapsed_s: int, output: str) -> None:
        """Write a running command's sign of life."""
        data = {
            "type": "bash_progress",
            "output": output,
            "fullOutput": output,
            "elapsedTimeSeconds": elapsed_s,
            "totalLines": output.count("\n") + 1,
        }
        fields = {"data": data, "toolUseID": f"bash-progress-{elapsed_s}", "parentToolUseID": f"toolu_{call_id}"}
        self._write("progress", at_s, fields)

    def turn_duration(self, at_s: float, duration_ms: int) -> None:
        """Write the line that closes the answer to a prompt."""
        self._write("system", at_s, {"subtype": "turn_duration", "durationMs": duration_ms, "isMeta": False})

    def _uuid(self, n: int) -> str:
        return f"{self._number:08d}-0000-4000-8000-{n:012d}"

    def _write(self, kind: str, at_s: float, fields: dict[str, Any], agent: str | None = None) -> str:
        uuid = self._uuid(len(self.lines) + 1)
        at = self._begins + timedelta(milliseconds=round(at_s * 1000))
        line: dict[str, Any] = {
            "parentUuid": self._parent,
            "isSidechain": agent is not None,
            "userType": "external",
            "cwd": "/home/ada/ledger",
            "sessionId": self._uuid(999_999),
            "version": self._version,
            "gitBranch": "main",
        }
        if agent is not None:
            line["agentId"] = agent
        line |= {"type": kind, **fields, "uuid": uuid}
        line["timestamp"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.lines.append(line)
        self._parent = uuid
        return uuid


REJECTED = "The user doesn't want to proceed with this tool use. Nothing was changed; ask how to go on."
CANCELLED = "Cancelled: parallel tool call Bash(python -m pytest tests/test_totals.py) errored"


def failing_call_and_interrupt() -> Session:
    """Streaming era: reads overlap the response, a failing command cancels its siblings, the user stops the next."""
    session = Session(1, "2.1.63", datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    session.summary("Ledger totals do not match the bank statement")
    session.prompt(0.0, "The monthly totals are off by one cent. Find out why.")
    session.open_response()
    session.block(3.1, thinking("Rounding, most likely. Look at the totals, their tests and every use of round."))
    session.block(3.6, text("I look at the totals and at everything that rounds."))
    session.block(4.2, tool("a1", "Read", file_path="/home/ada/ledger/totals.py"))
    session.block(4.9, tool("a2", "Grep", pattern=r"round\(", path="/home/ada/ledger"))
    session.result(4.24, "a1", "def total(entries):\n    return sum(round(e.amount, 2) for e in entries)")
    session.block(5.5, tool("a3", "Read", file_path="/home/ada/ledger/tests/test_totals.py"))
    session.result(5.53, "a3", "def test_total():\n    assert total([]) == 0")
    session.result(5.62, "a2", "totals.py:2\nreport.py:40")
    session.open_response()
    session.block(9.0, text("Each entry is rounded before the sum. First the tests as they are."))
    session.block(9.8, tool("b1", "Read", file_path="/home/ada/ledger/report.py"))
    session.result(9.83, "b1", "print(total(month))")
    session.block(
        10.6, tool("b2", "Bash", command="python -m pytest tests/test_totals.py", description="Run the tests")
    )
    session.block(11.4, tool("b3", "Bash", command="git stash list", description="Look for unfinished work"))
    session.result(12.1, "b2", "Exit code 1\nE   assert Decimal('10.01') == Decimal('10.00')", is_error=True)
    session.result(12.1, "b3", f"<tool_use_error>{CANCELLED}</tool_use_error>", detail=CANCELLED, is_error=True)
    session.block(12.9, tool("b4", "Read", file_path="/home/ada/ledger/bank.py"))
    session.result(12.901, "b4", f"<tool_use_error>{CANCELLED}</tool_use_error>", detail=CANCELLED, is_error=True)
    session.open_response()
    session.block(17.0, text("The failing test shows the cent. I sum first and round once."))
    edit = {"old_string": "sum(round(e.amount, 2) for e in entries)", "new_string": "round(sum(e.amount), 2)"}
    session.block(18.5, tool("c1", "Edit", file_path="/home/ada/ledger/totals.py", **edit))
    session.result(18.62, "c1", "The file totals.py has been updated.")
    session.block(19.3, tool("c2", "Bash", command="python -m pytest --slow", description="Run all tests"))
    session.bash_progress(21.31, "c2", 2, "collected 240 items")
    session.bash_progress(22.31, "c2", 3, "collected 240 items\n......")
    session.result(23.0, "c2", REJECTED, detail="User rejected tool use", is_error=True)
    session.interrupt(23.002)
    session.prompt(40.0, "Leave the slow tests out.")
    session.response((43.2, text("Understood, the quick tests only.")))
    session.turn_duration(43.3, 3300)
    return session


def batch_era() -> Session:
    """Batch era: nothing starts before the last block, reads end together, commands run in turn, nothing cascades."""
    session = Session(2, "2.1.12", datetime(2026, 1, 14, 16, 30, tzinfo=UTC))
    session.prompt(0.0, "Tidy up the import scripts.")
    session.response(
        (2.8, text("First I read all three.")),
        (3.4, tool("d1", "Read", file_path="/home/ada/ledger/imports/csv.py")),
        (4.0, tool("d2", "Read", file_path="/home/ada/ledger/imports/mt940.py")),
        (4.7, tool("d3", "Read", file_path="/home/ada/ledger/imports/camt.py")),
    )
    session.result(4.94, "d2", "class Mt940: ...")
    session.result(4.94, "d1", "class Csv: ...")
    session.result(4.94, "d3", "class Camt: ...")
    session.response(
        (8.3, tool("e1", "Bash", command="ruff check imports", description="Lint")),
        (9.1, tool("e2", "Bash", command="python -m imports.csv --check", description="Check the importer")),
        (10.0, tool("e3", "Bash", command="git diff --stat", description="See what changed")),
    )
    session.result(10.6, "e1", "All checks passed!")
    session.result(13.1, "e2", "Exit code 2\nno such option: --check", is_error=True)
    session.result(13.2, "e3", " imports/csv.py | 4 ++--")
    session.response((16.0, text("Only the command line of the CSV importer was wrong.")))
    session.turn_duration(16.1, 16100)
    return session


def sub_agents_and_refusal() -> Session:
    """Two sub-agents whose lines are mixed into the file, hooks that show when calls start, and a refused edit."""
    session = Session(3, "2.1.37", datetime(2026, 2, 9, 11, 15, tzinfo=UTC))
    session.prompt(0.0, "Where do we convert currencies, and is it tested?")
    session.open_response()
    session.block(2.5, tool("f1", "Task", description="Find conversions", prompt="List every currency conversion."))
    session.hook(2.504, "PreToolUse", "f1", "Task")
    session.prompt(2.6, "List every currency conversion.", agent="a11ce")
    session.block(3.4, tool("f2", "Task", description="Find tests", prompt="List the tests about currencies."))
    session.hook(3.404, "PreToolUse", "f2", "Task")
    session.prompt(3.5, "List the tests about currencies.", agent="b0b")
    session.response((6.0, tool("g1", "Grep", pattern=r"convert\(")), agent="a11ce")
    session.response((6.4, tool("h1", "Glob", pattern="tests/**/*currency*")), agent="b0b")
    session.result(6.45, "g1", "fx.py:12\nreport.py:88", agent="a11ce")
    session.result(6.52, "h1", "tests/test_currency.py", detail={"durationMs": 110, "numFiles": 1}, agent="b0b")
    session.response((9.0, text("One test file: tests/test_currency.py.")), agent="b0b")
    closing = {"status": "completed", "agentId": "b0b", "totalDurationMs": 5680}
    session.result(9.1, "f2", "One test file.", detail=closing)
    session.response((10.2, text("Two places: fx.py and report.py.")), agent="a11ce")
    closing = {"status": "completed", "agentId": "a11ce", "totalDurationMs": 7790}
    session.result(10.3, "f1", "Two places.", detail=closing)
    session.open_response()
    session.block(14.0, text("report.py converts without a test. I add one."))
    session.block(
        15.2, tool("i1", "Write", file_path="/home/ada/ledger/tests/test_report.py", content="def test(): ...")
    )
    session.hook(15.203, "PreToolUse", "i1", "Write")
    session.result(31.0, "i1", REJECTED, detail=f"Error: {REJECTED}", is_error=True)
    session.interrupt(31.004)
    return session


def samples() -> dict[str, bytes]:
    """Give every sample file's name and bytes."""
    made = (failing_call_and_interrupt, batch_era, sub_agents_and_refusal)
    sessions = {f"{make.__name__}.jsonl": make().encode() for make in made}
    return sessions | {f"formats/{name}": content for name, content in other_formats().items()}


if __name__ == "__main__":
    for file_name, content in samples().items():
        Path(__file__).parent.joinpath(file_name).write_bytes(content)
