"""P: every tool_use has its tool_result, every tool_result its tool_use, in request order.

The rule: a result counts once per occurrence, whether the consumer took it or the closing report lists it.
"""

from collections.abc import Iterable

from executor.calls.outcome import Outcome
from executor.events import Event, Kind

from .instants import in_words
from .rule import Finding, Moment, at_moment, at_rows
from .state import State
from .terms import Terms
from .view import CallView, ids_in, results_in


@at_moment("P1", Moment.LOG_OVER, needs=[Kind.BLOCK])
def one_result_each(state: State) -> Iterable[Finding]:
    """Every tool_use of a response that was kept has exactly one tool_result, emitted or in the closing report."""
    for call in filter(state.kept, state.doubled):
        seen = ", ".join(f"{outcome} at {in_words(at_ns)}" for at_ns, outcome in call.results)
        yield Finding(call.results[1][0], (call,), f"{call} has {len(call.results)} results: {seen}")
    # A run that the simulator gave up owes its results to L1.
    for call in filter(state.kept, state.unanswered if state.halted is None else ()):
        yield Finding(state.now_ns, (call,), f"{call} has no result")


@at_rows("P2", Kind.BLOCK, Kind.EMITTED, Kind.TURN_ENDED, Kind.DISCARD)
def no_result_alone(state: State, event: Event) -> Iterable[Finding]:
    """There is no tool_result without its tool_use and ids are unique, counted per occurrence."""
    call = state.call(event.call)
    if event.kind is Kind.BLOCK and call.arrived and event.detail.get("attempt", 0) == call.attempt:
        yield Finding(event.t_ns, (call,), f"a second tool_use has the id {call.id}")
    if event.kind is Kind.DISCARD:
        withdrawn = ids_in(event, "withdrawn")
        for call in state.of_attempt(event.detail.get("attempt", 0)):
            if call.results and call.id not in withdrawn:
                yield Finding(event.t_ns, (call,), f"{call} was discarded and its result is not withdrawn")
    for id_, _ in results_in(event):
        call = state.call(id_)
        if not call.arrived:
            yield Finding(event.t_ns, (call,), f"a result for {id_}, for which no tool_use has arrived")
        elif call.results and state.kept(call):
            yield Finding(event.t_ns, (call,), f"one more result for {call} than it has tool_uses")
        elif call.attempt in state.discarded and event.kind is Kind.EMITTED:
            yield Finding(event.t_ns, (call,), f"a result for {call}, whose response was discarded before")


def _not_ordered(terms: Terms) -> str | None:
    return None if terms.ordered else f"the order of emission is {terms.options.get('emission', 'not told')}"


@at_rows("P4", Kind.EMITTED, needs=[Kind.BLOCK, Kind.EMITTED], unfit=_not_ordered)
def in_request_order(state: State, event: Event) -> Iterable[Finding]:
    """Results are emitted in request order."""
    for id_, _ in results_in(event):
        call, furthest = state.call(id_), state.furthest_result
        if furthest is not None and furthest.request > call.request and call.arrived and not call.results:
            too_early_ns = furthest.results[0][0]
            seen = f"{furthest} was emitted before the earlier {call}, which came at {in_words(event.t_ns)}"
            yield Finding(too_early_ns, (furthest, call), seen)


@at_rows("P5", Kind.EMITTED, needs=[Kind.LEFT, Kind.EMITTED])
def content_is_its_own(state: State, event: Event) -> Iterable[Finding]:
    """Each result's content belongs to its own call.

    What a body said is its result's content, unless hooks may have changed it or the executor had to (X6).
    """
    content, call = event.detail.get("content"), state.call(event.call)
    if not isinstance(content, str) or content == call.said:
        return
    other = state.sayings.get(content)
    if other is not None:
        yield Finding(event.t_ns, (call, other), f"the result of {call} contains what {other} said: {content!r}")
    elif event.detail.get("outcome") == Outcome.OK and call.said and _is_foreign(call, content):
        seen = f"the result of {call} contains {content!r}, and its body said {call.said!r}"
        yield Finding(event.t_ns, (call,), seen)


def _is_foreign(call: CallView, content: str) -> bool:
    said = call.said or ""
    # A cut leaves the beginning; what cannot be sent is replaced where it stands.
    return not call.gated and said[0].isascii() and said[0].isprintable() and content[:1] != said[0]
