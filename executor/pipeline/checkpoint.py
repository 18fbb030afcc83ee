"""What stands around a body: hooks before it, permission, the way in, hooks after it (SPEC 6, 7).

The rule: no body runs before its permission, and none against a deny rule that matches its final input (H3).
"""

import inspect
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any, Final, Protocol

from ..calls.call import Call, HookTime
from ..events import Announce, Kind
from . import synthetic
from .backfill import BackfillFailed, copied, seen, unfilled
from .hooks import Heard, Hook, HookEvent, HookFailed, HookOutcome, Hooks, Stage, Stop, outcomes_of
from .permissions import Allow, Deny, PermissionRules, resolve
from .questions import Question, Questions
from .run import STOPPED, Ending, Handle, accept, run_body
from .said import Said, sum_up
from .side_work import OnStray, SideBySide, SideWork

_NAMED: Final = "hook "


class WayIn(Protocol):
    """Where a call may have to wait before its body (H8)."""

    async def enter(self, call: Call) -> None:
        """Wait until the call may enter, or its signal has fired."""

    def look(self) -> None:
        """Note that a body is over; others may enter now."""


class Checkpoint:
    """Takes guarded calls to their bodies and back.

    Args:
        hooks: what is said before and after bodies.
        rules: what is decided without asking.
        questions: whom to ask, and what is open.
        grace_s: seconds a late hook gets to end.
        announce: told of every step.
        way_in: see :class:`WayIn`.
        on_hardened: told of a safe call that a rewrite made exclusive (H8).
        on_stray: see :data:`~executor.pipeline.side_work.OnStray`.
    """

    def __init__(
        self,
        hooks: Hooks,
        rules: PermissionRules,
        questions: Questions,
        grace_s: float,
        announce: Announce,
        way_in: WayIn,
        on_hardened: Callable[[Call], None],
        on_stray: OnStray,
    ) -> None:
        self._hooks = hooks
        self._rules = rules
        self._questions = questions
        self._grace_s = grace_s
        self._announce = announce
        self._way_in = way_in
        self._on_hardened = on_hardened
        self._on_stray = on_stray
        self.guards_all = bool(hooks) or rules != PermissionRules() or questions.can_use_tool is not None
        """Whether something stands between every call and its body."""

    async def run(self, call: Call, handle: Handle) -> Ending:
        """Take an admitted call with valid input to its end."""
        refused = await self._before(call)
        if refused is not None:
            return refused
        await self._way_in.enter(call)
        ending = await run_body(call, handle, self._announce)
        self._way_in.look()
        return await self._after(call, ending)

    async def _before(self, call: Call) -> Ending | None:
        """Hear the hooks and obtain permission; the ending of a call that may not run."""
        assert call.tool is not None, "an unknown tool is never admitted"
        if call.signal_reason is not None:
            return STOPPED
        try:
            said = await self._hear("pre", call)
            if call.signal_reason is not None:
                return STOPPED
            if said.blocked is not None:
                return Ending(answer=synthetic.hook_stopped(call, *said.blocked))
            if said.updated_input is not None and not isinstance(said.decision, Deny):
                self._rewrite(call, said.updated_input)
            return _invalid(call) or await self._permission(call, said)
        except BackfillFailed as failure:
            return Ending(answer=synthetic.failed(call, str(failure)))

    async def _permission(self, call: Call, said: Said) -> Ending | None:
        assert call.tool is not None, "an unknown tool is never admitted"
        ruling = resolve(
            call.tool,
            self._rules.decide(call.tool, seen(call)),
            said.decision,
            hook_gave_input=said.allowed_with_input,
        )
        decision, by = ruling
        if isinstance(decision, Deny):
            return self._deny(call, decision._replace(by_person=False), by)
        if isinstance(decision, Allow) or (decision is None and self._questions.can_use_tool is None):
            self._announce(Kind.PERMITTED, call.id, by=by)
            return None
        return await self._ask(call, "" if decision is None else decision.reason)

    async def _ask(self, call: Call, reason: str) -> Ending | None:
        assert call.tool is not None, "an unknown tool is never admitted"
        answer = await self._questions.ask(call, Question(call.id, call.tool.name, seen(call), reason))
        if answer is None or call.signal_reason is not None:
            return STOPPED
        if isinstance(answer, Deny):
            return self._deny(call, answer, "person" if answer.by_person else "nobody")
        if answer.updated_input is not None:
            self._rewrite(call, answer.updated_input)
            if call.invalid is not None:
                return _invalid(call)
            # Whoever answered was asked; what a rule forbids they cannot allow (H3).
            ruled = self._rules.decide(call.tool, seen(call))
            if isinstance(ruled, Deny):
                return self._deny(call, ruled, "rule")
        self._announce(Kind.PERMITTED, call.id, by="person")
        return None

    def _deny(self, call: Call, denial: Deny, by: str) -> Ending:
        self._announce(Kind.DENIED, call.id, by=by, reason=denial.reason)
        return Ending(answer=synthetic.denied(call, denial.reason, by_person=denial.by_person), rises=denial.by_person)

    def _rewrite(self, call: Call, given: Mapping[str, Any]) -> None:
        """Take another input for a call; its class is decided again and can only become stricter (H8)."""
        assert call.tool is not None, "an unknown tool is never admitted"
        if not accept(call, unfilled(call, given)):
            call.invalid = f"{call.invalid} (in the input that a hook or a person gave instead of yours)"
        elif call.safe and not call.tool.is_concurrency_safe(call.input):
            self._on_hardened(call)

    async def _after(self, call: Call, ending: Ending) -> Ending:
        """Hear the hooks after a body that was not stopped; what it did stays done (H5)."""
        assert call.tool is not None, "an unknown tool is never admitted"
        if call.signal_reason is not None or ending.stopped:
            return ending
        try:
            said = await self._hear("failure" if ending.is_error else "post", call, ending)
        except BackfillFailed:
            return ending
        return ending if said.updated_output is None else ending._replace(content=said.updated_output)

    async def _hear(self, stage: Stage, call: Call, ending: Ending | None = None) -> Said:
        """Run the hooks of a stage side by side and take together what they said."""
        assert call.tool is not None, "an unknown tool is never admitted"
        hooks = self._hooks.of(stage, call.tool)
        if not hooks:
            return Said()
        view, output = seen(call), "" if ending is None else ending.content
        listening: list[list[HookOutcome]] = [[] for _ in hooks]
        works = []
        for hook, outcomes in zip(hooks, listening, strict=True):
            told = None if ending is None else output if isinstance(output, str) else tuple(map(copied, output))
            event = HookEvent(stage, call.id, call.tool.name, copied(view), told)
            works.append(SideWork(_NAMED + hook.title, _listen(call, hook, event, outcomes), hook.timeout_s))
            self._announce(Kind.HOOK_STARTED, call.id, hook=hook.title, stage=stage)

        def on_over(work: SideWork[None]) -> None:
            title = work.name.removeprefix(_NAMED)
            call.hook_times += (HookTime(stage, title, work.started_s, work.ended_s),)
            self._announce(Kind.HOOK_ENDED, call.id, hook=title, stage=stage, how=work.how)

        await SideBySide(call, self._grace_s, on_over, self._on_stray).run(works)
        said = sum_up(stage, call.tool, map(_heard, hooks, works, listening))
        call.attachments += said.attachments
        return said


async def _listen(call: Call, hook: Hook, event: HookEvent, outcomes: list[HookOutcome]) -> None:
    """Let a hook speak; after each thing it says the abort signal is looked at (H6)."""
    answer: Any = hook.run(event)
    if not isinstance(answer, AsyncGenerator):
        outcomes += outcomes_of(await answer if inspect.isawaitable(answer) else answer)
        return
    async with aclosing(answer):
        async for outcome in answer:
            outcomes += outcomes_of(outcome)
            if call.signal_reason is not None or isinstance(outcome, Stop):
                return


def _heard(hook: Hook, work: SideWork[None], outcomes: list[HookOutcome]) -> Heard:
    match work.how:
        case "raised":
            failure = str(work.error) or type(work.error).__name__
            return Heard(hook, outcomes, failure, insists=hook.fail_closed or isinstance(work.error, HookFailed))
        case "late":
            return Heard(hook, outcomes, f"no answer within {hook.timeout_s:g} s", insists=hook.fail_closed)
    return Heard(hook, outcomes, cancelled=work.how == "cut")


def _invalid(call: Call) -> Ending | None:
    return None if call.invalid is None else Ending(answer=synthetic.invalid_input(call))
