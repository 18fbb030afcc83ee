"""Random turns of every kind of response: whole blocks, bytes, several attempts. Unit: ticks of 100 ms."""

from collections.abc import Collection

from hypothesis import strategies as st

from ..model import Scenario, Stream
from .attempts import retried_turns
from .features import Feature
from .streams import streams
from .turns import turns


def any_turns(
    max_calls: int = 12, *, without: Collection[Feature] = (), attempts: bool = True
) -> st.SearchStrategy[Scenario]:
    """Make what :func:`turns` and :func:`retried_turns` make, half of them as bytes in any cut and at any pace.

    Within a kind of response they shrink as these do.

    Args:
        max_calls: how many calls a turn of one attempt has at most.
        without: features that are switched off in turns of one attempt.
        attempts: whether there are turns of several attempts.
    """
    whole = turns(max_calls, without=without)
    retried = [retried_turns()] if attempts else []
    written = st.builds(_as_bytes, st.one_of(whole, *retried), streams())
    return st.one_of(whole, *retried, written, st.builds(_as_bytes, whole, streams(paced=True)))


def _as_bytes(turn: Scenario, stream: Stream) -> Scenario:
    """Let a response come as bytes; at a rate neither its calls nor its end have instants of their own."""
    words = {"stream": stream}
    if stream.rate is None:
        return turn.model_copy(update=words)
    calls = tuple(call.model_copy(update={"at_ns": 0}) for call in turn.calls)
    acts = tuple(event for event in turn.events if event.do not in ("stream_end", "stream_error"))
    return turn.model_copy(update={**words, "calls": calls, "events": acts})
