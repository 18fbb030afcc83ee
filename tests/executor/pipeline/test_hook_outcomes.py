"""What hooks may say, when it counts, and what it does (H1, H3, H5, H8, X2, X7)."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from executor import (
    AdditionalContext,
    Allow,
    Ask,
    Attachment,
    Deny,
    Hook,
    HookEvent,
    Hooks,
    Message,
    PermissionRules,
    PreventContinuation,
    Stop,
    StopReason,
    ToolSet,
    UpdatedInput,
    UpdatedOutput,
    tool,
)
from executor.pipeline.hooks import HookOutcome
from executor.pipeline.said import NOTHING, sum_up


def says(*outcomes: HookOutcome, takes: float = 0.0, name: str = "hook", **declared: Any) -> Hook:
    """A hook that takes its time and says these."""

    async def run(event: HookEvent) -> list[HookOutcome]:
        await asyncio.sleep(takes)
        return list(outcomes)

    return Hook(run, name=name, **declared)


def rewrites(takes: float = 0.0, name: str = "hook", **values: Any) -> Hook:
    """A hook that sets values of the input."""

    async def run(event: HookEvent) -> UpdatedInput:
        await asyncio.sleep(takes)
        return UpdatedInput({**event.input, **values})

    return Hook(run, name=name)


def test_hooks_stand_before_and_after_the_body_and_hold_the_call_s_place(shop) -> None:
    """H1, H5, X7: the whole log; an exclusive call behind it waits for the hooks too."""
    hooks = Hooks(pre=[says(takes=0.1, name="p")], post=[says(takes=0.2, name="q")])
    played = shop.play((0.0, shop.block("a", takes=0.4)), (0.0, shop.block("b", "Edit")), hooks=hooks)
    assert played.guarded_rows == [
        "0 hook_started a pre p",
        "100 hook_ended a pre p done",
        "100 permitted a by nobody",
        "100 entered a",
        "500 left a ok",
        "500 hook_started a post q",
        "700 hook_ended a post q done",
        "700 hook_started b pre p",
        "700 emitted a ok",
        "800 hook_ended b pre p done",
        "800 permitted b by nobody",
        "800 entered b",
        "800 left b ok",
        "800 hook_started b post q",
        "1000 hook_ended b post q done",
        "1000 emitted b ok",
        "1000 turn_ended completed",
    ]


def test_hooks_of_one_step_run_side_by_side(shop) -> None:
    """H8: three of 0.3, 0.1 and 0.2 s take 0.3 s."""
    hooks = Hooks(pre=[says(takes=0.3), says(takes=0.1), says(takes=0.2)])
    assert shop.play((0.0, shop.block("a")), hooks=hooks).started_ms == [(300, "a")]


@pytest.mark.parametrize("times", [(0.1, 0.2, 0.3), (0.3, 0.2, 0.1), (0.1, 0.3, 0.2)])
def test_rewrites_count_in_registration_order_whatever_their_durations(shop, times) -> None:
    """H8: the last registered one, not the slowest."""
    hooks = Hooks(pre=[rewrites(takes, says=f"hook {n}") for n, takes in enumerate(times)])
    assert shop.play((0.0, shop.block("a", says="own")), hooks=hooks).results["a"].content == "hook 2"


def test_what_hooks_leave_stands_in_registration_order_too(shop) -> None:
    """H8."""
    hooks = Hooks(pre=[says(Message("slow"), takes=0.2, name="1"), says(Message("fast"), name="2")])
    played = shop.play((0.0, shop.block("a")), hooks=hooks)
    assert played.results["a"].attachments == (
        Attachment("hook_message", "1", "slow"),
        Attachment("hook_message", "2", "fast"),
    )


def test_messages_and_context_follow_all_results_in_the_user_message(shop) -> None:
    """H1, H5, W7: in request order, content parts included."""
    image = {"type": "image", "source": {}}
    hooks = Hooks(
        pre=[says(Message("before"), tools="Read")],
        post=[says(AdditionalContext("after"), AdditionalContext((image,)), tools="Read")],
        failure=[says(AdditionalContext("try again"), tools="Edit")],
    )
    played = shop.play((0.0, shop.block("b", "Edit", ends="error")), (0.0, shop.block("a")), hooks=hooks)
    [_, answer] = played.turn.messages
    assert [part["type"] for part in answer["content"]] == [
        "tool_result",
        "tool_result",
        "text",
        "text",
        "text",
        "image",
    ]
    assert [part["text"] for part in answer["content"] if part["type"] == "text"] == ["try again", "before", "after"]
    assert played.turn.should_continue


def test_a_stop_keeps_the_body_from_running_and_says_why(shop) -> None:
    """H1: the others are unharmed, nothing rises, and the loop goes on (A3)."""
    hooks = Hooks(pre=[says(StopReason("not on Fridays"), Stop(), takes=0.1, tools="Edit")])
    played = shop.play((0.0, shop.block("a", "Edit", takes=1.0)), (0.0, shop.block("b", takes=0.2)), hooks=hooks)
    assert played.rows == [
        "100 entered b",
        "100 emitted a hook_blocked",
        "300 left b ok",
        "300 emitted b ok",
        "300 turn_ended completed",
    ]
    result = played.results["a"]
    assert (result.content, result.summary, result.started) == ("not on Fridays", "Error: not on Fridays", False)
    assert played.turn.should_continue


def test_of_several_hooks_that_stop_a_call_the_first_registered_says_why(shop) -> None:
    """H1: however late it speaks; one behind it that has nothing against the call changes nothing."""
    stops = [says(Stop("first"), takes=0.2), says(Stop("second")), says(Message("fine"))]
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=stops))
    assert (played.outcomes, played.started_ms) == ({"a": "hook_blocked"}, [])
    assert played.results["a"].content == "first"


@pytest.mark.parametrize(
    ("outcomes", "reason"),
    [
        ([Stop("own"), StopReason("other")], "own"),
        ([Stop()], "The hook h stopped this tool use"),
        ([StopReason("first"), StopReason("second"), Stop()], "second"),
    ],
)
def test_the_reason_of_a_stop(shop, outcomes, reason) -> None:
    """H1."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[says(*outcomes, name="h")]))
    assert played.results["a"].content == reason


def test_the_first_registered_hook_that_stops_a_call_is_the_one_that_is_heard(shop) -> None:
    """H8."""
    hooks = Hooks(pre=[says(Message("x")), says(Stop("first"), takes=0.2), says(Stop("second"))])
    assert shop.play((0.0, shop.block("a")), hooks=hooks).results["a"].content == "first"


@pytest.mark.parametrize("stage", ["pre", "post"])
@pytest.mark.parametrize("reason", ["enough", ""])
def test_prevented_continuation_lets_the_turn_finish_but_not_go_on(shop, stage, reason) -> None:
    """H1, H5: for a reason or for none."""
    because = [StopReason(reason)] if reason else []
    hooks = Hooks(**{stage: [says(PreventContinuation(), *because, name="h", tools="Read")]})
    played = shop.play((0.0, shop.block("a")), (0.0, shop.block("b", "Edit")), hooks=hooks)
    assert played.outcomes == {"a": "ok", "b": "ok"}
    assert played.results["a"].attachments == (Attachment("hook_prevented_continuation", "h", reason),)
    assert played.turn.ended == "completed"
    assert not played.turn.should_continue


def test_a_deny_of_a_hook_is_automatic_and_beats_a_rewrite_and_an_allow(shop) -> None:
    """H2, H4, H8: even if it claims to be a person's."""
    hooks = Hooks(pre=[rewrites(says="new"), says(Deny("never", by_person=True), tools="Edit"), says(Allow())])
    played = shop.play((0.0, shop.block("a", "Edit")), (0.0, shop.block("b")), hooks=hooks)
    assert played.outcomes == {"a": "denied", "b": "ok"}
    assert played.results["a"].content == "<tool_use_error>Error: Permission denied: never</tool_use_error>"
    assert played.turn.should_continue


def test_a_rewritten_input_is_validated_again(shop) -> None:
    """H1, X1."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[says(UpdatedInput({"takes": "long"}))]))
    result = played.results["a"]
    assert (result.outcome, result.started) == ("invalid_input", False)
    assert result.summary == (
        "InputValidationError: takes: Input should be a valid number, unable to parse string as a number (in the input "
        "that a hook or a person gave instead of yours)"
    )


def test_deny_rules_judge_the_input_as_hooks_left_it(shop) -> None:
    """H3: with an allow of the hook beside it."""
    rules = PermissionRules(deny=("Bash(rm:*)",))
    hooks = Hooks(pre=[says(UpdatedInput({"command": "rm -r build"}), Allow())])
    played = shop.play((0.0, shop.block("a", "Bash", command="ls")), hooks=hooks, permissions=rules)
    assert played.outcomes == {"a": "denied"}
    assert played.started_ms == []
    assert "the rule Bash(rm:*) denies it" in str(played.results["a"].content)


def test_a_rewrite_may_save_a_call_from_a_deny_rule(shop) -> None:
    """H3: rules judge the final input, and only that."""
    rules = PermissionRules(deny=("Bash(rm:*)",))
    hooks = Hooks(pre=[says(UpdatedInput({"command": "ls build", "says": "spared"}))])
    played = shop.play((0.0, shop.block("a", "Bash", command="rm build")), hooks=hooks, permissions=rules)
    assert played.results["a"].content == "spared"


def test_a_hook_that_changes_its_event_s_input_changes_only_its_own_copy(shop) -> None:
    """H3: no rewrite but a declared one."""
    seen: list[Any] = []

    async def sly(event: HookEvent) -> None:
        event.input["command"] = "rm -r /"  # type: ignore[index]
        event.input["reports"].append(9.0)

    async def honest(event: HookEvent) -> None:
        await asyncio.sleep(0.1)
        seen.append(event.input)

    @tool(name="Bash")
    async def body(command: str, reports: list[float]) -> str:
        return f"{command} {reports}"

    block = shop.block("a", "Bash", command="ls", reports=[1.0])
    played = shop.play((0.0, block), tools=ToolSet([body]), hooks=Hooks(pre=[sly, honest]))
    assert played.results["a"].content == "ls [1.0]"
    assert seen == [{"command": "ls", "reports": [1.0]}]


def test_backfilled_fields_are_seen_by_hooks_and_rules_and_never_by_the_body(shop) -> None:
    """X2: not even when a hook hands back what it saw."""
    seen: list[Any] = []

    async def echo(event: HookEvent) -> UpdatedInput:
        seen.append(dict(event.input))
        return UpdatedInput({**event.input, "limit": 5})

    @tool(name="Read", backfill=lambda given: {**given, "path": f"/home/ada/{given['path']}", "kind": "file"})
    async def read(path: str, limit: int = 1) -> str:
        return f"{path} {limit}"

    def play(**options: Any) -> Any:
        return shop.play((0.0, shop.block("a", path="a.ts")), tools=ToolSet([read]), hooks=Hooks(pre=[echo]), **options)

    assert play().results["a"].content == "a.ts 5"
    assert seen == [{"path": "/home/ada/a.ts", "kind": "file"}]
    assert play(permissions=PermissionRules(deny=("Read(/home/ada/**)",))).outcomes == {"a": "denied"}


def test_a_tool_whose_backfill_fails_does_not_run(shop) -> None:
    """X2, H3: rules would have to judge what nobody knows."""

    @tool(name="Read", backfill=lambda given: given["nothing"])
    async def read(path: str) -> str:
        return path

    rules = PermissionRules(allow=("Read",))
    played = shop.play((0.0, shop.block("a", path="a")), tools=ToolSet([read]), permissions=rules)
    result = played.results["a"]
    assert (result.outcome, result.started) == ("error", False)
    assert result.summary == "Error: the backfill of Read failed: 'nothing'"


def test_only_the_output_of_mcp_tools_can_be_replaced(shop) -> None:
    """H5: elsewhere the attempt leaves a warning."""

    @tool(name="mcp__files__read")
    async def mcp(path: str = "") -> str:
        return "secret"

    @tool(name="Read")
    async def read(path: str = "") -> str:
        return "secret"

    hooks = Hooks(post=[says(UpdatedOutput("***"), name="h")])
    blocks = [(0.0, shop.block("a", "mcp__files__read")), (0.0, shop.block("b", "Read"))]
    played = shop.play(*blocks, tools=ToolSet([mcp, read]), hooks=hooks)
    assert [result.content for result in played.results.values()] == ["***", "secret"]
    assert played.results["a"].attachments == ()
    warning = "the output of Read stays as it is: only that of MCP tools can be replaced"
    assert played.results["b"].attachments == (Attachment("hook_warning", "h", warning),)


def test_a_later_hook_that_says_nothing_of_it_takes_no_output_back(shop) -> None:
    """H5, H8: the last that replaces the output counts."""

    @tool(name="mcp__x")
    async def mcp() -> str:
        return "own"

    hooks = Hooks(post=[says(UpdatedOutput("first")), says(UpdatedOutput("last")), says(Message("seen"))])
    played = shop.play((0.0, shop.block("a", "mcp__x")), tools=ToolSet([mcp]), hooks=hooks)
    assert played.results["a"].content == "last"


def test_an_input_that_comes_with_an_allow_stays_the_interaction_whatever_later_hooks_say(shop) -> None:
    """H2: the hook was the interaction, so that nobody has to be asked; an allow without an input was none."""

    @tool(name="Choose", requires_interaction=True)
    async def choose(path: str = "") -> str:
        return path

    def played(given: dict[str, str] | None) -> Any:
        hooks = Hooks(pre=[says(Allow(given)), says(Message("seen"))])
        return shop.play((0.0, shop.block("a", "Choose")), tools=ToolSet([choose]), hooks=hooks).results["a"]

    chosen = played({"path": "b"})
    assert (chosen.outcome, chosen.content) == ("ok", "b")
    assert played(None).outcome == "denied"


def test_no_hooks_come_to_nothing() -> None:
    """H1."""

    @tool
    async def read() -> None:
        """Do nothing."""

    assert sum_up("pre", read, []) == NOTHING


def test_a_hook_cannot_change_an_output_by_the_back_door(shop) -> None:
    """H5: what it is told is its own copy."""

    def sly(event: HookEvent) -> None:
        event.output[0]["text"] = "changed"  # type: ignore[index]

    @tool(name="Read")
    async def read() -> list[dict[str, str]]:
        return [{"type": "text", "text": "own"}]

    played = shop.play((0.0, shop.block("a")), tools=ToolSet([read]), hooks=Hooks(post=[sly]))
    assert played.results["a"].content == ({"type": "text", "text": "own"},)


def test_a_replaced_output_may_be_anything_that_a_tool_may_return(shop) -> None:
    """H5."""

    @tool(name="mcp__x")
    async def mcp() -> str:
        return "own"

    hooks = Hooks(post=[says(UpdatedOutput({"lines": 3}))])  # type: ignore[arg-type]
    played = shop.play((0.0, shop.block("a", "mcp__x")), tools=ToolSet([mcp]), hooks=hooks)
    assert played.results["a"].content == '{"lines": 3}'


def test_what_a_stage_does_not_hear_leaves_a_warning_and_does_nothing(shop) -> None:
    """H5: a body that ran stays done, whatever a hook says afterwards."""
    hooks = Hooks(
        pre=[says(UpdatedOutput("x"), name="h")],
        post=[says(Stop("late"), Deny(), UpdatedInput({}), name="h")],
        failure=[says(PreventContinuation(), Ask(), name="h")],
    )
    played = shop.play((0.0, shop.block("a")), (0.0, shop.block("b", ends="error")), hooks=hooks)
    assert played.outcomes == {"a": "ok", "b": "error"}
    assert [attachment.content for attachment in played.results["a"].attachments] == [
        "UpdatedOutput counts for nothing in a pre hook",
        "Stop counts for nothing in a post hook",
        "Deny counts for nothing in a post hook",
        "UpdatedInput counts for nothing in a post hook",
    ]
    assert [attachment.content for attachment in played.results["b"].attachments][1:] == [
        "PreventContinuation counts for nothing in a failure hook",
        "Ask counts for nothing in a failure hook",
    ]
    assert played.turn.should_continue


def test_hooks_after_the_body_are_told_its_output(shop) -> None:
    """H5: the post hook of what went well, the failure hook of what did not."""
    told: list[tuple[str, Any, Any]] = []

    def note(event: HookEvent) -> None:
        told.append((event.stage, event.call_id, event.output))

    hooks = Hooks(pre=[note], post=[note], failure=[note])
    blocks = [shop.block("a", says="good"), shop.block("b", ends="raise", says="bad")]
    shop.play(*((0.0, block) for block in blocks), hooks=hooks, max_concurrency=1)
    assert told == [("pre", "a", None), ("post", "a", "good"), ("pre", "b", None), ("failure", "b", "bad")]


@pytest.mark.parametrize(
    ("patterns", "hears"),
    [("*", True), ("Edit|Read", True), ("Edit | R*", True), ("Edit", False), ("View", True), ("read", False)],
)
def test_a_hook_is_about_tools_by_name_glob_and_retired_name(shop, patterns, hears) -> None:
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[says(Stop(), tools=patterns)]))
    assert played.outcomes == {"a": "hook_blocked" if hears else "ok"}


async def by_generator(event: HookEvent) -> AsyncGenerator[HookOutcome, None]:
    yield Message("one")
    await asyncio.sleep(0.1)
    yield Message("two")


async def by_list(event: HookEvent) -> list[HookOutcome]:
    await asyncio.sleep(0.1)
    return [Message("one"), Message("two")]


async def by_silence(event: HookEvent) -> None:
    await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    ("run", "texts"),
    [
        (by_generator, ["one", "two"]),
        (by_list, ["one", "two"]),
        (by_silence, []),
        (lambda event: Message("at once"), ["at once"]),
    ],
)
def test_a_hook_says_it_by_yielding_or_by_returning_it(shop, run: Callable[..., Any], texts: list[str]) -> None:
    """H1."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[run]))
    assert [attachment.content for attachment in played.results["a"].attachments] == texts


def test_a_generator_that_said_stop_is_heard_no_further(shop) -> None:
    """H1, H6: and is closed."""
    closed: list[bool] = []

    async def run(event: HookEvent) -> AsyncGenerator[HookOutcome, None]:
        try:
            yield Stop("now")
            await asyncio.sleep(9.0)
        finally:
            closed.append(True)

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[run]))
    assert (played.rows[0], closed) == ("0 emitted a hook_blocked", [True])


def test_each_hook_and_question_is_timed_apart(shop) -> None:
    """X7, B119: hooks, question and run of one call, and what it waited for before."""
    calls: list[Any] = []

    async def allow(question: Any) -> Allow:
        calls.append(question)
        await asyncio.sleep(7.0)
        return Allow()

    hooks = Hooks(pre=[says(takes=0.2, name="p")], post=[says(takes=0.1, name="q")])
    played = shop.play(
        (0.0, shop.block("r", takes=2.0)),
        (0.5, shop.block("b", "Edit", takes=1.0)),
        hooks=hooks,
        permissions=PermissionRules(allow=("Read",)),
        can_use_tool=allow,
    )
    [call] = [call for call in played.turn._executors[0]._calls.values() if call.id == "b"]
    assert [call.arrived_s, call.admitted_s, call.asked_s, call.answered_s] == [0.5, 2.3, 2.5, 9.5]
    assert [call.body_started_s, call.body_ended_s, call.settled_s, call.emitted_s] == [9.5, 10.5, 10.6, 10.6]
    assert [tuple(time) for time in call.hook_times] == [("pre", "p", 2.3, 2.5), ("post", "q", 10.5, 10.6)]
