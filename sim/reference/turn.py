"""The reference model: everything that can happen to a turn, one method each (T1).

The rule: no line is shared with the executor, and nothing waits. Times in nanoseconds from the turn's start.
"""

from collections.abc import Callable
from typing import Any, Final

from scenarios.draws import Draws
from scenarios.model import Call, Happening, Scenario

from .account import Account
from .agenda import ARRIVAL, BODY, DEADLINE, RESPONSE_END, USER, Agenda, Entry
from .call import CallState
from .consumer import Consumer

ABORTED: Final = {"fallback": "streaming_fallback", "sibling": "sibling_error", "user": "user_interrupted"}
"""Outcomes of calls that an abort kept from starting or stopped, the strongest reason first (A5)."""


def predict(scenario: Scenario, engine: str = "streaming", seed: int = 0) -> Account:
    """Say what a scenario's turn must look like under an engine, by the rules of SPEC 2–5 (T1).

    Args:
        scenario: the turn; what comes at one instant is taken first come, first served.
        engine: ``streaming``, ``batch`` or ``serial``.
        seed: chooses the durations that the scenario leaves open.

    >>> from scenarios import Call
    >>> turn = predict(Scenario(calls=[Call(id="a", takes="2s"), Call(id="b", at="1s", takes="500ms")]))
    >>> turn.emitted
    (('a', 'ok', 2000000000), ('b', 'ok', 2000000000))
    """
    return Turn(scenario, engine, seed).play()


class Turn:
    """The state of a turn, and everything that can happen to it.

    Args:
        scenario: the turn.
        engine: by what it is run.
        seed: see :func:`predict`.
    """

    def __init__(self, scenario: Scenario, engine: str, seed: int) -> None:
        self.scenario = scenario
        self.draws = Draws(seed)
        self.batch = engine != "streaming"
        self.limit = 1 if engine == "serial" else scenario.options.max_concurrency
        self.agenda = Agenda()
        self.calls: list[CallState] = []
        self.untaken: list[CallState] = []
        self.executing: list[CallState] = []
        self.queue: list[CallState] = []
        self.batches: list[list[CallState]] = []
        self.reasons: set[str] = set()
        self.stopped = self.discarded = self.response_over = False
        self.context: dict[str, Any] = {}
        self.changes: dict[int, dict[str, Any]] = {}
        self.entered: dict[str, int] = {}
        self.left: dict[str, int] = {}
        self.saw: dict[str, dict[str, Any]] = {}
        self.consumer = Consumer(self)

    # Time

    def play(self) -> Account:
        for spec in self.scenario.calls:
            if not spec.cut:
                self.agenda.at(spec.at_ns, ARRIVAL, self.arrive, spec)
        failed = any(event.do == "stream_error" for event in self.scenario.events)
        self.agenda.at(self.scenario.stream_end_ns, RESPONSE_END, self.end_response, failed)
        for event in self.scenario.events:
            if event.do in ("stop", "submit", "discard", "cancel"):
                self.agenda.at(event.at_ns, USER, self.act, event)
        how: str | None = None
        while how is None and self.agenda.do_next():
            self.consumer.take_all()
            how = None if self.executing else self.end()
        return self.result(how)

    # The response

    def arrive(self, spec: Call) -> None:
        if self.consumer.leaves or self.response_over:
            return
        call = CallState.of(len(self.calls), spec, self.scenario.tool_of(spec), self.draws)
        self.calls.append(call)
        self.untaken.append(call)
        if not call.tool.available:
            self.settle(call, "unknown_tool")
        elif self.reasons:
            self.settle(call, self.reason())
        else:
            self.queue.append(call)
            self.admit()

    def end_response(self, failed: bool) -> None:
        if self.consumer.leaves or self.response_over or self.discarded:
            return
        if failed and not self.stopped:
            self.discard()
            return
        self.response_over = True
        if self.batch:
            for call in self.queue:
                if call.safe and self.batches and self.batches[-1][-1].safe:
                    self.batches[-1].append(call)
                else:
                    self.batches.append([call])
            self.queue = []
        self.admit()

    # Calls

    def admit(self) -> None:
        while True:
            if self.batches and not self.queue and not self.executing:
                self.queue = self.batches.pop(0)
            if not self.queue or (self.batch and not self.response_over):
                return
            if self.executing:
                beside = self.queue[0].safe and all(other.safe for other in self.executing)
                if not beside or len(self.executing) == self.limit:
                    return
            self.start(self.queue.pop(0))

    def start(self, call: CallState) -> None:
        if not call.safe:
            self.barrier()
        if not call.spec.is_valid:
            self.settle(call, "invalid_input")
            return
        self.executing.append(call)
        call.running = True
        self.entered[call.spec.id] = self.agenda.now_ns
        if self.context:
            self.saw[call.spec.id] = dict(self.context)
        if call.tool.timeout_ns is not None:
            self.agenda.at(self.agenda.now_ns + call.tool.timeout_ns, DEADLINE, self.time_out, call)
        call.body.append(self.agenda.next(self.work, call, self.agenda.now_ns, 0))

    def work(self, call: CallState, began_ns: int, n: int) -> None:
        """Let a body wait for its next step or its end; one that hangs has none."""
        steps = call.steps
        if n < len(steps):
            call.body.append(self.agenda.at(began_ns + steps[n][0], BODY, self.step, call, began_ns, n))
        elif call.takes_ns is not None:
            call.body.append(self.agenda.at(began_ns + call.takes_ns, BODY, self.finish, call))

    def step(self, call: CallState, began_ns: int, n: int) -> None:
        """A body reports progress, or asks for the turn's abort (A4); a settled one has no say any more (A6)."""
        reports = call.steps[n][1]
        if call.outcome is None and not self.discarded:
            if reports is not None:
                self.consumer.reports.append((call.spec.id, reports))
            else:
                self.stopped = True
                self.abort("user")
        self.work(call, began_ns, n + 1)

    def finish(self, call: CallState) -> None:
        """A body comes to its end by itself, heard of after whatever was due at this instant already."""
        call.finished = True
        self.agenda.now(BODY, self.hear_of_end, call)

    def hear_of_end(self, call: CallState) -> None:
        """Take a body's own end; one that raises after its signal was stopped (A6)."""
        raises = call.ends in ("raise", "cancelled")
        self.leave(call, "stopped" if raises and call.signalled else "ok" if call.ends == "ok" else "error")

    def interrupt(self, call: CallState) -> None:
        """Stop a body that heeds its signal; one that has come to its end by then keeps what it has (A11)."""
        if not call.finished:
            self.agenda.drop(*call.body)
            self.agenda.now(BODY, self.leave, call, "stopped")

    def leave(self, call: CallState, ending: str) -> None:
        if not call.running:
            return
        call.running = False
        self.agenda.drop(*call.body)
        self.left[call.spec.id] = self.agenda.now_ns
        if call.outcome is not None:
            return
        if ending == "ok" and call.spec.sets:
            self.changes[call.index] = call.spec.sets
        self.settle(call, self.reason(call) if ending == "stopped" else ending)

    def settle(self, call: CallState, outcome: str) -> None:
        call.outcome = outcome
        if call in self.executing:
            self.executing.remove(call)
            if not call.safe:
                self.barrier()
        if outcome in ("error", "timeout") and call.tool.cascades:
            policy = self.scenario.options.cascade
            if policy == "any" or (policy == "exclusive" and not call.safe):
                self.abort("sibling")
        self.admit()

    def barrier(self) -> None:
        for index in sorted(self.changes):
            self.context = {**self.context, **self.changes.pop(index)}

    # Aborts

    def reason(self, call: CallState | None = None) -> str:
        if call is not None and call.timed_out and not self.discarded:
            return "timeout"
        return next(outcome for name, outcome in ABORTED.items() if name in self.reasons)

    def abort(self, name: str, *, spare_blocking: bool = False) -> None:
        self.reasons.add(name)
        waiting = sorted(
            [*self.queue, *(call for batch in self.batches for call in batch)], key=lambda call: call.index
        )
        self.queue, self.batches = [], []
        for call in waiting:
            self.settle(call, self.reason())
        for call in list(self.executing):
            if not call.signalled and (call.cancellable or not spare_blocking):
                self.signal(call)

    def signal(self, call: CallState) -> None:
        call.signalled = True
        if call.spec.stubborn == "no":
            self.agenda.now(BODY, self.interrupt, call)
            return
        call.patience = self.after_grace(self.cancel, call)

    def time_out(self, call: CallState) -> None:
        if call.outcome is None and not call.signalled:
            call.timed_out = True
            self.signal(call)

    def cancel(self, call: CallState) -> None:
        call.cancelled = True
        if call.spec.stubborn == "signal":
            self.leave(call, "stopped")
        else:
            call.patience = self.after_grace(self.abandon, call)

    def after_grace(self, act: Callable[[CallState], None], call: CallState) -> Entry:
        return self.agenda.at(self.agenda.now_ns + self.scenario.options.grace_ns, DEADLINE, act, call)

    def abandon(self, call: CallState) -> None:
        if call.outcome is None:
            outcome = self.reason(call)
            if not call.safe:
                self.abort("sibling")
            self.settle(call, outcome)

    # The user

    def act(self, event: Happening) -> None:
        takes_effect = self.executing and all(call.cancellable for call in self.executing)
        if event.do == "discard":
            self.discard()
        elif event.do == "cancel":
            self.hurry_or_leave()
        elif event.do == "stop" or event.force or takes_effect:
            self.stopped = True
            self.abort("user", spare_blocking=event.do == "submit")

    def hurry_or_leave(self) -> None:
        """Whoever drives the turn is cancelled: they leave, or no longer wait where they only did that (E10)."""
        if not self.consumer.busy and (self.consumer.leaves or self.discarded):
            for call in [call for call in self.executing if not call.cancelled]:
                if call.patience is not None:
                    self.agenda.drop(call.patience)
                self.cancel(call)
        self.consumer.leave()

    def discard(self) -> None:
        self.discarded = True
        self.abort("fallback")

    # The end

    def end(self) -> str | None:
        """Say how the turn has ended, now that nothing executes; ``None`` while it goes on."""
        if self.consumer.busy:
            return None
        if self.consumer.leaves:
            how = "left"
        elif self.discarded:
            how = "failed"
        elif self.response_over and not self.untaken:
            how = "stopped" if self.stopped else "completed"
        else:
            return None
        self.barrier()
        return how

    def result(self, how: str | None) -> Account:
        untaken = [] if self.discarded else [call for call in self.untaken if call.outcome]
        return Account(
            entered=self.entered,
            left=self.left,
            saw=self.saw,
            emitted=tuple(self.consumer.emitted),
            progress=tuple(self.consumer.progress),
            closing=tuple((call.spec.id, str(call.outcome)) for call in untaken if how is not None),
            abandoned=tuple(sorted(call.spec.id for call in self.calls if call.running and call.outcome)),
            how=how,
            ended_ns=None if how is None else self.agenda.now_ns,
            context={} if self.discarded else self.context,
        )
