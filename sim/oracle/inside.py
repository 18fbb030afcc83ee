"""S8, F7, N1: what only an executor's own account can show.

The rule: these rules need the inside view, and are skipped without it.
"""

from collections.abc import Iterable

from executor.calls.life import TRANSITIONS, Status
from executor.calls.outcome import Outcome
from executor.events import Event, Kind

from .rule import Finding, at_rows
from .state import State
from .view import STATUSES, mapped


@at_rows("S8", *STATUSES, needs=[Kind.QUEUED])
def status_moves_forwards(state: State, event: Event) -> Iterable[Finding]:
    """A call's status moves forwards only, along the table of a call's life."""
    call, new = state.call(event.call), STATUSES[event.kind]
    allowed = {Status.QUEUED} if call.status is None else TRANSITIONS[call.status]
    if new not in allowed:
        yield Finding(event.t_ns, (call,), f"{call} went from {call.status or 'nothing'} to {new}")


@at_rows("F7", Kind.COMPLETED, Kind.TURN_ENDED, needs=[Kind.COMPLETED])
def nothing_else_rises(state: State, event: Event) -> Iterable[Finding]:
    """Nothing reaches the whole turn but the user, a person's refusal and a tool that asks for it."""
    if state.user_acted:
        return
    if event.kind is Kind.TURN_ENDED and event.detail.get("how") == "stopped":
        yield Finding(event.t_ns, (), "the turn ended as stopped, and nobody had stopped it")
    elif event.kind is Kind.TURN_ENDED and event.detail.get("how") != "left":
        for at_ns, call in state.settled_as_interrupted:
            seen = f"{call} was settled as {Outcome.USER_INTERRUPTED}, and nobody had stopped the turn"
            yield Finding(at_ns, (call,), seen)


@at_rows("N1", Kind.ENTERED, Kind.PERMITTED, needs=[Kind.QUEUED])
def nobody_runs_unpermitted(state: State, event: Event) -> Iterable[Finding]:
    """No body is entered before its permission, and none that was denied, whatever the hooks say.

    A deny rule with a pattern is held against the input that the body was given, if the log tells it.
    """
    call = state.call(event.call)
    given = mapped(event, "input") if "input" in event.detail else None
    if call.denied_by is not None:
        what = "was entered" if event.kind is Kind.ENTERED else "was permitted"
        yield Finding(event.t_ns, (call,), f"{call} {what} although it had been denied, by {call.denied_by}")
    elif (rule := state.terms.denied_by(call.tool, given)) is not None:
        yield Finding(event.t_ns, (call,), f"{call} was {event.kind.value} although the rule {rule} denies it")
    elif event.kind is Kind.ENTERED and call.gated and not call.permitted:
        yield Finding(event.t_ns, (call,), f"{call} was entered without a permission")
