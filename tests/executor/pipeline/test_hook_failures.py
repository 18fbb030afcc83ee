"""Hooks that raise, take too long, resist, or are cut off (H6, H7, A9, E10)."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from executor import AdditionalContext, Attachment, Deny, Hook, HookEvent, HookFailed, Hooks, Message, Stop
from executor.pipeline.hooks import HookOutcome

STOP = (0.2, lambda turn: turn.stop())


def named(run: Any, **declared: Any) -> Hook:
    return Hook(run, name="h", **declared)


async def hangs(event: HookEvent) -> None:
    await asyncio.sleep(100.0)


async def raises(event: HookEvent) -> None:
    raise OSError("no disk")


async def cancels_itself(event: HookEvent) -> None:
    raise asyncio.CancelledError


async def resists(event: HookEvent) -> None:
    """Ends at 5 s whatever happens."""
    loop = asyncio.get_running_loop()
    while (rest := 5.0 - loop.time()) > 0:
        try:
            await asyncio.sleep(rest)
        except asyncio.CancelledError:
            continue


async def nonsense(event: HookEvent) -> Any:
    return ["allow"]


async def no_text(event: HookEvent) -> Any:
    return Stop(7)  # type: ignore[arg-type]


async def knot(event: HookEvent) -> Any:
    itself: list[Any] = []
    itself.append(itself)
    return AdditionalContext(itself)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("run", "text"),
    [
        (raises, "no disk"),
        (cancels_itself, "CancelledError"),
        (no_text, "Stop: reason: expected text, got 7"),
        (knot, "Circular reference detected (id repeated)"),
        (nonsense, "expected a hook outcome such as Message, Deny or UpdatedInput, or a list of them, got 'allow'"),
    ],
)
def test_a_hook_that_raises_is_noted_and_spares_the_call(shop, run, text) -> None:
    """H7."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[named(run)]))
    assert played.outcomes == {"a": "ok"}
    assert played.results["a"].attachments == (Attachment("hook_error", "h", text),)
    assert played.guarded_rows[1] == "0 hook_ended a pre h raised"


def test_a_hook_that_takes_too_long_is_cancelled_noted_and_spares_the_call(shop) -> None:
    """H7."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[named(hangs, timeout_s=0.3)]))
    assert played.guarded_rows[:4] == [
        "0 hook_started a pre h",
        "300 hook_ended a pre h late",
        "300 permitted a by nobody",
        "300 entered a",
    ]
    assert played.results["a"].attachments == (Attachment("hook_error", "h", "no answer within 0.3 s"),)


def test_each_hook_of_a_step_has_its_own_deadline(shop) -> None:
    """H7, H8."""

    async def slow(event: HookEvent) -> Message:
        await asyncio.sleep(0.4)
        return Message("in time")

    hooks = Hooks(pre=[named(hangs, timeout_s=0.3), Hook(slow, name="slow", timeout_s=0.5)])
    played = shop.play((0.0, shop.block("a")), hooks=hooks)
    assert played.guarded_rows[:5] == [
        "0 hook_started a pre h",
        "0 hook_started a pre slow",
        "300 hook_ended a pre h late",
        "400 hook_ended a pre slow done",
        "400 permitted a by nobody",
    ]


@pytest.mark.parametrize(("run", "why"), [(raises, "no disk"), (hangs, "no answer within 0.3 s")])
def test_a_hook_that_fails_closed_keeps_the_call_from_running(shop, run, why) -> None:
    """H7, A3."""
    hooks = Hooks(pre=[named(run, timeout_s=0.3, fail_closed=True, tools="Edit")])
    played = shop.play((0.0, shop.block("a", "Edit")), (0.0, shop.block("b")), hooks=hooks)
    assert played.outcomes == {"a": "hook_failed", "b": "ok"}
    result = played.results["a"]
    assert (result.content, result.started) == (f"The hook h failed: {why}", False)
    assert result.attachments == (Attachment("hook_error", "h", why),)


def test_a_hook_that_could_not_work_at_all_keeps_the_call_from_running_by_itself(shop) -> None:
    """H7, B077."""

    async def broken(event: HookEvent) -> None:
        raise HookFailed("no such program")

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[named(broken)]))
    assert (played.outcomes, played.started_ms) == ({"a": "hook_failed"}, [])


@pytest.mark.parametrize("stage", ["post", "failure"])
def test_a_hook_after_the_body_that_fails_changes_nothing_of_the_result(shop, stage) -> None:
    """H5, H7, B077: what ran stays done, fail-closed or not."""
    ends = "ok" if stage == "post" else "error"
    hooks = Hooks(**{stage: [named(raises, fail_closed=True)]})
    played = shop.play((0.0, shop.block("a", ends=ends, says="text")), hooks=hooks)
    result = played.results["a"]
    assert (result.outcome, result.content) == (ends, "text")
    assert result.attachments == (Attachment("hook_error", "h", "no disk"),)


def test_what_a_hook_said_before_it_failed_counts(shop) -> None:
    """H7: a denial is not lost with the hook."""

    async def run(event: HookEvent) -> AsyncGenerator[HookOutcome, None]:
        yield Deny("no")
        await asyncio.sleep(100.0)

    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[named(run, timeout_s=0.1)]))
    assert played.outcomes == {"a": "denied"}


def test_a_late_hook_that_resists_is_left_running_after_the_grace_and_listed(shop) -> None:
    """H7, E10: it can hold its call no longer than its deadline and the grace."""
    hooks = Hooks(pre=[named(resists, timeout_s=0.5)])
    left: list[Any] = []

    async def consume(message: Any) -> None:
        left.extend(task.get_name() for task in asyncio.all_tasks() if "hook" in task.get_name())
        await asyncio.sleep(9.0)

    played = shop.play((0.0, shop.block("a")), hooks=hooks, grace_s=1.0, consume=consume)
    assert played.started_ms == [(1500, "a")]
    assert left == ["call a: hook h"]
    assert played.turn.report.abandoned == ()  # over by the time the turn ends


def test_a_hook_that_still_runs_at_the_end_is_in_the_report(shop) -> None:
    """E10."""
    played = shop.play((0.0, shop.block("a")), hooks=Hooks(pre=[named(resists, timeout_s=0.5)]), grace_s=1.0)
    assert played.recorder.events[-1].t_ns == 1_500_000_000
    assert played.turn.report.abandoned == ("a: hook h",)


def test_an_abort_ends_a_hook_s_wait_at_once_and_leaves_a_note(shop) -> None:
    """H6: the body never ran; what the other hook had said is kept."""
    hooks = Hooks(pre=[named(hangs), Hook(lambda event: Message("seen"), name="quick")])
    played = shop.play((0.0, shop.block("a", "Edit")), (0.0, shop.block("b")), hooks=hooks, acts=[STOP])
    assert played.guarded_rows == [
        "0 hook_started a pre h",
        "0 hook_started a pre quick",
        "0 hook_ended a pre quick done",
        "200 stop",
        "200 hook_ended a pre h cut",
        "200 emitted a user_interrupted",
        "200 emitted b user_interrupted",
        "200 turn_ended stopped",
    ]
    result = played.results["a"]
    assert (result.started, result.effect_unknown) == (False, False)
    assert result.attachments == (
        Attachment("hook_cancelled", "h", "cut off because the call was stopped"),
        Attachment("hook_message", "quick", "seen"),
    )


def test_an_abort_that_a_hook_causes_itself_is_looked_at_after_its_next_word(shop) -> None:
    """H6: it is heard no further."""
    said: list[str] = []

    async def run(event: HookEvent) -> AsyncGenerator[HookOutcome, None]:
        turn[0].stop()
        yield Message("one")
        said.append("went on")
        yield Message("two")

    turn: list[Any] = []
    played = shop.play((0.1, shop.block("a")), hooks=Hooks(pre=[named(run)]), acts=[(0.0, turn.append)])
    assert (played.outcomes, said) == ({"a": "user_interrupted"}, [])


@pytest.mark.parametrize("ends", ["ok", "error"])
def test_an_abort_while_a_hook_runs_after_the_body_keeps_the_body_s_result(shop, ends) -> None:
    """H6, A6: what ran to its end is not reported as cancelled."""
    hooks = Hooks(post=[named(hangs)], failure=[named(hangs)])
    played = shop.play((0.0, shop.block("a", says="done", ends=ends, takes=0.1)), hooks=hooks, acts=[STOP])
    stage = "post" if ends == "ok" else "failure"
    assert played.guarded_rows[2:] == [
        f"100 left a {ends}",
        f"100 hook_started a {stage} h",
        "200 stop",
        f"200 hook_ended a {stage} h cut",
        f"200 emitted a {ends}",
        "200 turn_ended stopped",
    ]
    assert [attachment.kind for attachment in played.results["a"].attachments] == ["hook_cancelled"]


def test_a_call_that_is_stopped_before_its_first_step_meets_no_hook(shop) -> None:
    """H6."""

    def stop_at_once(executing: tuple[str, ...], interruptible: bool) -> None:
        if executing:
            turn[0].stop()

    turn: list[Any] = []
    played = shop.play(
        (0.1, shop.block("a")),
        hooks=Hooks(pre=[named(hangs)]),
        on_activity=stop_at_once,
        acts=[(0.0, turn.append)],
    )
    assert played.guarded_rows == ["100 stop", "100 emitted a user_interrupted", "100 turn_ended stopped"]
    assert played.results["a"].attachments == ()


def test_a_stopped_body_meets_no_further_hooks(shop) -> None:
    """H6."""
    hooks = Hooks(post=[named(hangs)], failure=[named(hangs)])
    played = shop.play((0.0, shop.block("a", takes=9.0, at_signal="stops")), hooks=hooks, acts=[STOP])
    assert played.guarded_rows == [
        "0 permitted a by nobody",
        "0 entered a",
        "200 stop",
        "200 signalled a user_interrupted",
        "200 left a cancelled",
        "200 emitted a user_interrupted",
        "200 turn_ended stopped",
    ]


def test_a_body_that_comes_to_its_end_after_its_signal_meets_no_further_hooks(shop) -> None:
    """H6, A6: its result stands, and no note says that anything was cut off."""
    hooks = Hooks(post=[named(hangs)], failure=[named(hangs)])
    played = shop.play((0.0, shop.block("a", takes=0.3, at_signal="finishes")), hooks=hooks, acts=[STOP])
    assert [row for row in played.guarded_rows if "hook" in row] == []
    assert (played.outcomes, played.results["a"].attachments) == ({"a": "ok"}, ())


def test_a_hook_that_resists_an_abort_is_left_running_after_the_grace_and_listed(shop) -> None:
    """H6, A9: its call, whose body never ran, is settled then; it poisons nothing."""
    hooks = Hooks(pre=[named(resists)])
    played = shop.play((0.0, shop.block("a", "Edit")), hooks=hooks, grace_s=1.0, acts=[STOP])
    assert played.emitted_ms == [(1200, "a")]
    assert (played.outcomes, played.results["a"].abandoned) == ({"a": "user_interrupted"}, False)
    assert played.turn.report.abandoned == ("a: hook h",)
    assert played.turn._executors[0].poisoned_by is None


def test_leaving_the_turn_while_a_hook_runs_leaves_nothing_behind(shop) -> None:
    """E10: the workshop looks for tasks that are left."""

    async def leave(message: Any) -> None:
        raise LookupError

    hooks = Hooks(pre=[named(hangs, tools="Edit")])
    with pytest.raises(LookupError):
        shop.play((0.0, shop.block("a")), (0.0, shop.block("b", "Edit")), hooks=hooks, consume=leave)


@pytest.mark.parametrize("timeout_s", [0.0, -1.0, float("nan")])
def test_a_deadline_must_be_above_zero(timeout_s) -> None:
    with pytest.raises(ValueError, match="hook hangs: timeout_s: expected seconds above 0, got"):
        Hook(hangs, timeout_s=timeout_s)


def test_stop_reads_as_a_stop_though_it_may_be_empty() -> None:
    assert Stop() == Stop("")


def test_what_is_no_function_is_refused_as_a_hook() -> None:
    with pytest.raises(TypeError, match="hook int: expected a function, got 3"):
        Hooks(post=[3])  # type: ignore[list-item]
