"""The doors: the public names of each package (DESIGN 3)."""

import importlib
import subprocess
import sys

import pytest

DOORS = {
    "executor": {
        "BlockStream", "StreamFailure", "blocks",
        "AbortController", "AbortSignal", "AdditionalContext", "Allow", "Ask", "Attachment", "Background",
        "BatchToolExecutor", "CallHandle", "ClosingReport", "Deny", "Discarded", "Effect", "Engine", "Fault",
        "Hook", "HookEvent", "HookFailed", "Hooks", "Message", "Options", "Outcome", "PermissionRules",
        "PreventContinuation", "Progress", "Question", "Recorder", "Stop", "StopReason", "Stopped",
        "StreamingToolExecutor", "Tool", "ToolContext", "ToolOutput", "ToolResult", "ToolSet", "ToolUseBlock",
        "Turn", "Update", "UpdatedInput", "UpdatedOutput", "Warned", "command_hook",
        "make_executor", "partition", "tool",
    },
    "scenarios": {
        "Answer", "Attempt", "Call", "Child", "Consumer", "Expect", "Happening", "HookSpec", "HookWords", "Options",
        "OwnHook", "Permissions", "Rewrite", "Row", "Scenario", "ScenarioError", "Stream", "ToolSpec", "dump", "lint",
        "load", "loads", "read_trace", "repair", "strategies",
    },
    "sim": {
        "Comparison", "Exploration", "OwnEngine", "OwnStage", "Policy", "ReportCard", "ResponseFailed", "Run",
        "SessionTurn", "SimLoop", "Verdict", "Violation", "check", "check_engine", "compare", "executor_machine",
        "explore", "from_coroutine",
        "from_object", "from_turn", "judge", "simulate", "simulate_session",
    },
}  # fmt: skip


@pytest.mark.parametrize("package", DOORS)
def test_each_package_has_exactly_its_public_names(package: str) -> None:
    module = importlib.import_module(package)
    assert set(dir(module)) == DOORS[package]
    for name in DOORS[package]:
        assert getattr(module, name) is not None


def test_a_star_takes_all_but_what_needs_an_extra() -> None:
    """Hypothesis is in the extra `testing`."""
    code = """if True:
        import sys
        sys.modules["hypothesis"] = None
        from scenarios import *
        from executor import *
        from sim import *
        print(Scenario.__name__, Turn.__name__, simulate.__name__, "strategies" in globals())
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("Scenario Turn simulate False\n", "")
