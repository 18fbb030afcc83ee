"""What stands around a body: hooks before it, permission, the way in, hooks after it (SPEC 6, 7).

The rule: no body runs before its permission, and none against a deny rule that matches its final input (H3).
"""

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ..calls.call import Call, HookTime
from ..events import Announce, Kind, silent
from . import synthetic
from .backfill import BackfillFailed, copied, seen, unfilled
from .hearing import Hearing
from .hooks import Hook, HookEvent, Hooks, Stage
from .movable import leave_if_cancelled
from .permissions import Ask, Decision, Deny, PermissionRules, resolve
from .questions import Question, Questions
from .run import STOPPED, Ending, Handle, accept, run_body
from .said import NOTHING, Said, sum_up
from .side_work import OnStray, SideBySide, SideWork


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
        self._loop = asyncio.get_running_loop()
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
            hooks = self._hooks.of("pre", call.tool)
            said = await self._hear(hooks, "pre", call) if hooks else NOTHING
            if call.signal_reason is not None:
                return STOPPED
            if said.blocked is not None:
                return Ending(answer=synthetic.hook_stopped(call, *said.blocked))
            if said.updated_input is not None and not isinstance(said.decision, Deny):
                self._rewrite(call, said.updated_input)
            if call.invalid is not None:
                return Ending(answer=synthetic.invalid_input(call))
            decision, by = resolve(call.tool, self._ruled(call), said.decision, hook_gave_input=said.allowed_with_input)
            if isinstance(decision, Deny):
                return self._deny(call, decision._replace(by_person=False), by)
            if isinstance(decision, Ask) or (decision is None and self._questions.can_use_tool is not None):
                return await self._ask(call, "" if decision is None else decision.reason)
            if self._announce is not silent:
                self._announce(Kind.PERMITTED, call.id, by=by)
            return None
        except BackfillFailed as failure:
            return Ending(answer=synthetic.failed(call, str(failure)))

    def _ruled(self, call: Call) -> Decision | None:
        """What the rules alone decide of the call's input as it is now."""
        assert call.tool is not None, "an unknown tool is never admitted"
        view = seen(call)
        return self._rules.decide(call.tool, view if call.tool.subjects is None else copied(view))

    async def _ask(self, call: Call, reason: str) -> Ending | None:
        assert call.tool is not None, "an unknown tool is never admitted"
        answer = await self._questions.ask(call, Question(call.id, call.tool.name, copied(seen(call)), reason))
        if answer is None or call.signal_reason is not None:
            return STOPPED
        if isinstance(answer, Deny):
            return self._deny(call, answer, "person" if answer.by_person else "nobody")
        if answer.updated_input is not None:
            self._rewrite(call, answer.updated_input)
            if call.invalid is not None:
                return Ending(answer=synthetic.invalid_input(call))
            # Whoever answered was asked; what a rule forbids they cannot allow (H3).
            ruled = self._ruled(call)
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
        if not accept(call, call.tool, unfilled(call, given)):
            call.invalid = f"{call.invalid} (in the input that a hook or a person gave instead of yours)"
        elif call.safe and not call.tool.is_concurrency_safe(call.input):
            self._on_hardened(call)

    async def _after(self, call: Call, ending: Ending) -> Ending:
        """Hear the hooks after a body that was not stopped; what it did stays done (H5)."""
        assert call.tool is not None, "an unknown tool is never admitted"
        stage: Stage = "failure" if ending.is_error else "post"
        hooks = self._hooks.of(stage, call.tool)
        if not hooks or call.signal_reason is not None or ending.stopped:
            return ending
        await leave_if_cancelled()
        try:
            said = await self._hear(hooks, stage, call, ending)
        except BackfillFailed:
            return ending
        return ending if said.updated_output is None else replace(ending, content=said.updated_output)

    async def _hear(self, hooks: Sequence[Hook], stage: Stage, call: Call, ending: Ending | None = None) -> Said:
        """Let the hooks of a stage speak, side by side, and take together what they said."""
        assert call.tool is not None, "an unknown tool is never admitted"
        view, output = seen(call), None if ending is None else ending.content
        hearings: list[Hearing] = []
        side: SideBySide[None] | None = None
        for hook in hooks:
            hearing = Hearing(hook, stage, self._loop.time())
            hearings.append(hearing)
            if self._announce is not silent:
                self._announce(Kind.HOOK_STARTED, call.id, hook=hook.title, stage=stage)
            if call.signal_reason is None:
                told = output if output is None or isinstance(output, str) else tuple(map(copied, output))
                hearing.begin(HookEvent(stage, call.id, call.tool.name, copied(view), told), call)
            else:
                hearing.cut()
            if hearing.work is None:
                self._note_end(call, hearing)
            else:
                on_over = functools.partial(self._on_over, call, hearings)
                side = side or SideBySide(call, self._grace_s, on_over, self._on_stray)
                await side.keep(hearing.work)
        if side is not None:
            await side.until_over()
        heard = [hearing.heard() for hearing in hearings if not hearing.said_nothing]
        if not heard:
            return NOTHING
        said = sum_up(stage, call.tool, heard)
        call.attachments += said.attachments
        return said

    def _on_over(self, call: Call, hearings: Sequence[Hearing], work: SideWork[None]) -> None:
        self._note_end(call, next(hearing for hearing in hearings if hearing.work is work))

    def _note_end(self, call: Call, hearing: Hearing) -> None:
        call.hook_times += (HookTime(hearing.stage, hearing.hook.title, hearing.begun_s, self._loop.time()),)
        if self._announce is not silent:
            self._announce(Kind.HOOK_ENDED, call.id, hook=hearing.hook.title, stage=hearing.stage, how=hearing.how)
