"""G1: progress goes out at once, complete and in order, before its result.

The rule: progress counts while its call is not settled; whether a consumer was prompt only the header can tell.
"""

from collections.abc import Iterable

from executor.events import Event, Kind

from .instants import in_words
from .rule import Finding, Moment, at
from .state import State
from .view import results_in


@at("G1", Kind.EMITTED, Moment.AT_REST, needs=[Kind.PROGRESSED])
def progress_goes_out(state: State, event: Event | None) -> Iterable[Finding]:
    """Progress is emitted at once, in order, before its call's result, and none is lost.

    At once is judged where the header says that the consumer is prompt.
    """
    if event is None:
        for call in state.untaken if state.terms.is_prompt and state.ended is None else ():
            yield Finding(state.now_ns, (call,), f"{call} reported progress {call.taken}, and it is held back")
        return
    call = state.call(event.call)
    if event.detail.get("what") == "progress":
        n = event.detail.get("n", call.taken)
        if call.results:
            seen = f"progress {n} of {call} was emitted after its result at {in_words(call.results[0][0])}"
        elif n != call.taken:
            seen = f"progress {n} of {call} was emitted where {call.taken} was next"
        elif call.taken >= call.reported and call.attempt not in state.discarded and not call.abandoned:
            seen = f"progress {n} of {call} was emitted before it was reported"
        else:
            return
        yield Finding(event.t_ns, (call,), seen)
    for _ in results_in(event):
        if call in state.untaken and not call.results:
            seen = f"{call} has its result, and its progress from {call.taken} on was not emitted before"
            yield Finding(event.t_ns, (call,), seen)
