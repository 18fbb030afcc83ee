"""Whose error cancels whom (A2, A3)."""

import pytest

from executor import ToolSet, ToolUseBlock, tool
from executor.events import Kind

ENGINES = ["streaming", "batch", "serial"]
CULPRIT = "<tool_use_error>Cancelled: parallel tool call Bash(mkdir build) errored</tool_use_error>"


@pytest.mark.parametrize("ends", ["error", "raise", "cancelled"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_failing_exclusive_shell_call_cancels_what_is_queued_and_what_still_arrives(shop, engine, ends) -> None:
    """A2: under the default policy; each gets the sibling text, the culprit keeps its own result (A6)."""
    played = shop.play(
        (0.0, shop.block("a", takes=0.1)),
        (0.0, shop.block("b", "Bash", command="mkdir build", takes=0.2, ends=ends, says="exists")),
        (0.1, shop.block("c", takes=0.1)),
        (0.2, shop.block("d", "Edit")),
        (0.2, shop.block("u", "Nope")),
        (0.5, shop.block("e", "Bash", command="ls")),
        engine=engine,
    )
    late = "sibling_error"
    assert played.outcomes == {"a": "ok", "b": "error", "c": late, "d": late, "u": "unknown_tool", "e": late}
    assert played.results["b"].content == ("CancelledError" if ends == "cancelled" else "exists")
    for call in "cde":
        result = played.results[call]
        assert (result.content, result.started, result.effect_unknown) == (CULPRIT, False, False)
        assert result.summary == "Cancelled: parallel tool call Bash(mkdir build) errored"
    assert [call for _, call in played.started_ms] == ["a", "b"]
    assert [call for _, call in played.instants_ms(Kind.ADMITTED)] == ["a", "b"]
    assert played.turn.ended == "completed"
    assert played.turn.should_continue


@pytest.mark.parametrize(
    ("policy", "command", "cancels"),
    [
        ("exclusive", "mkdir", True),
        ("exclusive", "ls", False),
        ("any", "mkdir", True),
        ("any", "ls", True),
        ("never", "mkdir", False),
        ("never", "ls", False),
    ],
)
@pytest.mark.parametrize("engine", ["streaming", "batch"])
def test_the_policy_says_which_errors_of_a_cascading_tool_cancel(shop, engine, policy, command, cancels) -> None:
    """A2, B024: a failing read-only command is an answer."""
    played = shop.play(
        (0.0, shop.block("a", "Bash", command=command, ends="error", takes=0.1)),
        (0.0, shop.block("b", "Edit")),
        engine=engine,
        cascade=policy,
    )
    assert played.outcomes == {"a": "error", "b": "sibling_error" if cancels else "ok"}


@pytest.mark.parametrize("engine", ["streaming", "batch"])
def test_a_cascade_stops_running_siblings_under_any(shop, engine) -> None:
    """A2, A9: they are signalled in the instant of the failure and have their grace."""
    played = shop.play(
        (0.0, shop.block("a", takes=9.0, at_signal="stops", says="half")),
        (0.0, shop.block("b", "Bash", command="ls x", takes=0.2, ends="error")),
        (0.0, shop.block("c", takes=9.0)),
        (0.0, shop.block("d", takes=9.0, at_signal="finishes", says="whole")),
        (0.0, shop.block("e", takes=0.1)),
        (0.0, shop.block("f", "Edit")),
        engine=engine,
        cascade="any",
        grace_s=0.5,
    )
    assert played.outcomes == {
        "a": "sibling_error",
        "b": "error",
        "c": "sibling_error",
        "d": "ok",
        "e": "ok",
        "f": "sibling_error",
    }
    assert played.rows == [
        "0 entered a",
        "0 entered b",
        "0 entered c",
        "0 entered d",
        "0 entered e",
        "100 left e ok",
        "200 left b error",
        "200 signalled a sibling_error",
        "200 signalled c sibling_error",
        "200 signalled d sibling_error",
        "200 left a cancelled",
        "200 left d ok",
        "200 emitted a sibling_error",
        "200 emitted b error",
        "700 left c cancelled",
        "700 emitted c sibling_error",
        "700 emitted d ok",
        "700 emitted e ok",
        "700 emitted f sibling_error",
        "700 turn_ended completed",
    ]
    assert str(played.results["a"].content).endswith("(partial):\nhalf")
    assert (played.results["d"].content, played.results["f"].started) == ("whole", False)


def test_the_first_to_fail_is_the_one_that_is_named(shop) -> None:
    """A2: a second culprit keeps its own result too."""
    played = shop.play(
        (0.0, shop.block("a", "Bash", command="ls one", takes=0.1, ends="error", says="1")),
        (0.0, shop.block("b", "Bash", command="ls two", takes=0.1, ends="error", says="2")),
        (0.0, shop.block("c", takes=9.0)),
        (0.0, shop.block("d", "Edit")),
        cascade="any",
    )
    assert [result.content for result in played.results.values()][:2] == ["1", "2"]
    for call in "cd":
        assert played.results[call].summary == "Cancelled: parallel tool call Bash(ls one) errored"


def test_a_culprit_without_a_description_is_not_named(shop) -> None:
    """SPEC 9."""

    @tool(name="Deploy", cascades=True)
    async def deploy(force: bool = False) -> None:
        raise OSError("refused")

    played = shop.play(
        (0.0, ToolUseBlock("a", "Deploy", {"force": True})),
        (0.0, ToolUseBlock("b", "Deploy", {})),
        tools=ToolSet([deploy]),
    )
    assert played.outcomes == {"a": "error", "b": "sibling_error"}
    assert played.results["b"].content == ("<tool_use_error>Cancelled: parallel tool call errored</tool_use_error>")


@pytest.mark.parametrize("policy", ["exclusive", "any"])
@pytest.mark.parametrize(
    "failing",
    [
        {"tool": "Edit", "ends": "error"},
        {"tool": "Read", "ends": "raise"},
        {"tool": "Watch", "ends": "cancelled"},
        {"tool": "Nope"},
        {"tool": "Edit", "takes": "long"},
        {"tool": "Bash", "command": 7},
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_no_other_failure_touches_anybody_else(shop, engine, policy, failing) -> None:
    """A3, B025: other tools' errors, unknown tools, invalid input, of a shell call too."""
    given = dict(failing)
    played = shop.play(
        (0.0, shop.block("a", takes=0.3)),
        (0.0, shop.block("b", given.pop("tool"), **given)),
        (0.1, shop.block("c", takes=0.1)),
        (0.1, shop.block("d", "Edit")),
        (0.5, shop.block("e", "Bash", command="make")),
        engine=engine,
        cascade=policy,
    )
    assert played.outcomes.pop("b") != "ok"
    assert {call: outcome for call, outcome in played.outcomes.items() if call != "b"} == dict.fromkeys("acde", "ok")


def test_the_flag_dies_with_the_turn(shop) -> None:
    """A2, B027: the next turn's calls start, with the same tools."""
    failing = shop.block("a", "Bash", command="mkdir", ends="error")
    assert shop.play((0.0, failing), (0.0, shop.block("b"))).outcomes == {"a": "error", "b": "sibling_error"}
    assert shop.play((0.0, shop.block("b"))).outcomes == {"b": "ok"}


def test_a_sibling_error_does_not_rise_to_the_turn(shop) -> None:
    """A4: the response is read on to its end and nobody was stopped by the user."""
    played = shop.play(
        (0.0, shop.block("a", "Bash", command="mkdir", ends="error")), (1.0, shop.block("b")), ends_s=2.0
    )
    assert played.all_rows[-2:] == ["2000 response_ended 0", "2000 turn_ended completed"]
    assert len(played.turn.messages[1]["content"]) == 2
