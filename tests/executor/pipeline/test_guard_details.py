"""What stands around a body says who decided and why, and hands out copies only (H1-H8, X1, X2, X7)."""

import asyncio
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from executor import (
    Allow,
    Attachment,
    Deny,
    Hook,
    HookEvent,
    Hooks,
    Message,
    Options,
    PermissionRules,
    Question,
    StreamingToolExecutor,
    ToolSet,
    UpdatedInput,
    tool,
)
from executor.events import Kind
from executor.pipeline.backfill import copied
from executor.pipeline.movable import current_task
from sim import clock

DENY_RM = PermissionRules(deny=("Bash(rm:*)",))


def told(played: Any, kind: Kind) -> list[dict[str, Any]]:
    """What each event of a kind was."""
    return [dict(event.detail) for event in played.recorder.events if event.kind is kind]


def answering(answer: Any) -> Any:
    """Somebody who gives this answer to every question."""

    async def answers(question: Question) -> Any:
        return answer

    return answers


def deny(event: HookEvent) -> Deny:
    return Deny("not today")


@pytest.mark.parametrize(
    ("options", "denied"),
    [
        ({"permissions": DENY_RM}, {"by": "rule", "reason": "the rule Bash(rm:*) denies it"}),
        ({"hooks": Hooks(pre=[deny])}, {"by": "hook", "reason": "not today"}),
        ({"can_use_tool": answering(Deny("no"))}, {"by": "person", "reason": "no"}),
        ({"can_use_tool": answering(Deny("no", by_person=False))}, {"by": "nobody", "reason": "no"}),
    ],
)
def test_a_denial_is_told_with_who_it_came_from_and_why(shop, options, denied) -> None:
    """H2, H4."""
    played = shop.play((0.0, shop.block("a", "Bash", command="rm x")), **options)
    assert told(played, Kind.DENIED) == [denied]


def test_a_rule_that_forbids_what_a_person_made_of_the_input_is_who_denied_it(shop) -> None:
    """H3."""
    asker = answering(Allow({"command": "rm y"}))
    played = shop.play((0.0, shop.block("a", "Bash", command="ls")), permissions=DENY_RM, can_use_tool=asker)
    assert told(played, Kind.DENIED) == [{"by": "rule", "reason": "the rule Bash(rm:*) denies it"}]
    assert played.turn.ended == "completed"


@pytest.mark.parametrize(
    ("answer", "how"),
    [
        (Allow(), "allow"),
        (Deny("no"), "refused"),
        (Deny("no", by_person=False), "deny"),
        ("yes", "neither"),
    ],
)
def test_an_answer_is_told_by_what_it_says(shop, answer, how) -> None:
    """H4."""
    played = shop.play((0.0, shop.block("a")), can_use_tool=answering(answer))
    assert told(played, Kind.QUESTION_ANSWERED) == [{"how": how}]


def test_whoever_answers_at_once_need_not_be_waited_for(shop) -> None:
    """H4: a plain function may answer."""
    asked: list[Question] = []

    def answers(question: Question) -> Allow:
        asked.append(question)
        return Allow()

    played = shop.play((0.0, shop.block("a", takes=0.0)), can_use_tool=answers)
    assert played.outcomes == {"a": "ok"}
    assert asked == [Question("a", "Read", {"takes": 0.0}, "")]  # Nobody spoke of the call: no reason.


def test_an_answer_that_a_refusal_overtakes_permits_nothing(shop) -> None:
    """H4, H6, A4: it was given, and before its call could hear it the turn had been refused, at the same instant."""
    both = asyncio.Event()

    async def answers(question: Question) -> Any:
        if question.call_id == "b":
            asyncio.get_running_loop().call_later(1.0, both.set)
        await both.wait()
        if question.call_id == "a":
            return Deny("no")
        await asyncio.sleep(0)
        return Allow()

    played = shop.play((0.0, shop.block("a")), (0.0, shop.block("b")), can_use_tool=answers)
    assert told(played, Kind.QUESTION_ANSWERED) == [{"how": "refused"}, {"how": "allow"}]
    assert (told(played, Kind.PERMITTED), played.started_ms) == ([], [])
    assert played.outcomes == {"a": "denied", "b": "user_interrupted"}


def test_a_call_that_a_rewrite_leaves_safe_stays_beside_the_others(shop) -> None:
    """H8."""

    def rewrite(event: HookEvent) -> UpdatedInput:
        return UpdatedInput({"command": "ls src", "takes": 1.0})

    blocks = [(0.0, shop.block(call, "Bash", command="ls")) for call in "ab"]
    played = shop.play(*blocks, hooks=Hooks(pre=[rewrite]))
    assert told(played, Kind.HARDENED) == []
    assert played.started_ms == [(0, "a"), (0, "b")]


def test_an_exclusive_call_that_a_rewrite_leaves_exclusive_is_not_told_to_have_become_it(shop) -> None:
    """H8."""
    hooks = Hooks(pre=[lambda event: UpdatedInput({"command": "rm y"})])
    played = shop.play((0.0, shop.block("a", "Bash", command="rm x")), hooks=hooks)
    assert told(played, Kind.HARDENED) == []


def test_after_a_body_whose_signal_fired_no_hook_is_heard_even_if_it_finished(shop) -> None:
    """H5, H6, A6."""
    heard: list[str] = []
    hooks = Hooks(post=[lambda event: heard.append(event.call_id)])
    block = shop.block("a", takes=5.0, at_signal="finishes", says="done")
    played = shop.play((0.0, block), hooks=hooks, acts=[(1.0, lambda turn: turn.stop())])
    assert (played.outcomes, played.emitted_ms, heard) == ({"a": "ok"}, [(1000, "a")], [])
    assert told(played, Kind.HOOK_STARTED) == []


def test_the_time_of_a_hook_that_speaks_at_once_is_that_instant(shop) -> None:
    """X7."""

    def at_once(event: HookEvent) -> Message:
        return Message("hello")

    async def main() -> tuple[float, Any]:
        async with StreamingToolExecutor(shop.tools, options=Options(hooks=Hooks(pre=[at_once]))) as running:
            await asyncio.sleep(1.5)
            now_s = asyncio.get_running_loop().time()
            running.add(shop.block("a"))
            await anext(running.remaining_results())
            return now_s, running.calls[0].hook_times

    now_s, times = clock.run(main())
    assert times == (("pre", "at_once", now_s, now_s),)


def test_a_rule_s_reader_of_subjects_cannot_change_what_the_body_gets(shop) -> None:
    """H3."""

    def subjects(given: Mapping[str, Any]) -> list[str]:
        given["paths"].append("/etc")  # type: ignore[attr-defined]
        return ["x"]

    @tool(name="Act", subjects=subjects)
    async def act(paths: list[str]) -> str:
        return " ".join(paths)

    rules = PermissionRules(allow=("Act(x)",))
    played = shop.play((0.0, shop.block("a", "Act", paths=["a"])), tools=ToolSet([act]), permissions=rules)
    assert played.results["a"].content == "a"


def failing(event: HookEvent) -> None:
    raise LookupError("no such name")


@pytest.mark.parametrize("fail_closed", [False, True])
def test_a_plain_function_that_raises_is_a_broken_hook_like_any_other(shop, fail_closed) -> None:
    """H7."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[Hook(failing, fail_closed=fail_closed)]))
    result = played.results["a"]
    assert result.outcome == ("hook_failed" if fail_closed else "ok")
    assert result.attachments == (Attachment("hook_error", "failing", "no such name"),)


def test_a_hook_may_give_back_whatever_can_be_awaited(shop) -> None:
    """H1."""

    def promise(event: HookEvent) -> asyncio.Future[Message]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Message] = loop.create_future()
        loop.call_later(0.5, future.set_result, Message("here it is"))
        return future

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[promise]))
    assert played.results["a"].attachments == (Attachment("hook_message", "promise", "here it is"),)
    assert played.started_ms == [(500, "a")]


def test_what_a_hook_said_before_it_was_cut_off_stays(shop) -> None:
    """H6."""

    async def talks(event: HookEvent) -> Any:
        yield Message("so far")
        await asyncio.sleep(9.0)

    played = shop.play(
        (0.0, shop.block("a")), hooks=Hooks(pre=[talks]), acts=[(1.0, lambda turn: turn.stop())], grace_s=0.0
    )
    assert played.results["a"].attachments == (
        Attachment("hook_message", "talks", "so far"),
        Attachment("hook_cancelled", "talks", "cut off because the call was stopped"),
    )


def test_a_hook_s_text_that_is_none_is_a_broken_hook(shop) -> None:
    """H7."""
    number: Any = 3
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[Hook(lambda event: Message(number), name="counts")]))
    error = Attachment("hook_error", "counts", "Message: text: expected text, got 3")
    assert played.results["a"].attachments == (error,)


def fail(given: Mapping[str, Any]) -> Mapping[str, Any]:
    raise LookupError


def test_a_backfill_that_fails_without_a_word_is_told_by_its_error_s_name(shop) -> None:
    """X2."""

    @tool(name="Act", backfill=fail, needs_permission=True)
    async def act() -> str:
        return "done"

    played = shop.play((0.0, shop.block("a", "Act")), tools=ToolSet([act]), can_use_tool=answering(Allow()))
    assert played.results["a"].content == "the backfill of Act failed: LookupError"


def test_an_input_from_a_hook_that_is_no_object_does_not_fit_a_backfilled_tool_either(shop) -> None:
    """X1, X2."""

    @tool(name="Act", backfill=lambda given: given)
    async def act(path: str) -> str:
        return path

    given: Any = ["x"]
    hooks = Hooks(pre=[lambda event: UpdatedInput(given)])
    played = shop.play((0.0, shop.block("a", "Act", path="x")), tools=ToolSet([act]), hooks=hooks)
    assert played.outcomes == {"a": "invalid_input"}
    assert "in the input that a hook or a person gave instead of yours" in str(played.results["a"].content)


def test_a_copy_is_one_all_the_way_down() -> None:
    """X2: objects and lists of whatever kind JSON is made of become plain ones of their own."""
    inner: dict[str, Any] = {"deep": [{"x": 1}]}
    atoms = {"text": "x", "none": None}
    given: dict[str, Any] = {"lists": [[1], inner], "tuple": (1, [2]), "view": MappingProxyType(inner)}
    made = copied(given | atoms)
    assert type(made["view"]) is dict
    inner["deep"][0]["x"] = 2
    given["lists"][0].append(2)
    given["tuple"][1].append(3)
    assert made == {"lists": [[1], {"deep": [{"x": 1}]}], "tuple": [1, [2]], "view": {"deep": [{"x": 1}]}} | atoms


async def cancels_itself_and_denies(event: HookEvent) -> Deny:
    current_task().cancel()
    return Deny("not today")


async def cancels_itself_and_fails(event: HookEvent) -> Deny:
    current_task().cancel()
    raise LookupError("no such name")


def test_a_hook_that_cancels_its_own_task_is_heard_all_the_same(shop) -> None:
    """H2, H7: the cancellation meets nobody; what it said or how it failed counts."""
    denied = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[cancels_itself_and_denies]))
    assert told(denied, Kind.DENIED) == [{"by": "hook", "reason": "not today"}]
    failed = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[cancels_itself_and_fails]))
    assert failed.outcomes == {"a": "ok"}
    attached = failed.results["a"].attachments
    assert attached == (Attachment("hook_error", "cancels_itself_and_fails", "no such name"),)
