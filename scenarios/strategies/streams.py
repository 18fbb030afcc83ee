"""Random streams of bytes: any cut, any pace. Unit: ticks of 100 ms."""

from typing import Any

from hypothesis import strategies as st

from ..model import Stream
from .grid import TICKS, time


def streams(*, paced: bool = False) -> st.SearchStrategy[Stream]:
    """Make streams of bytes, in any cut, that start a block at its end; they shrink towards whole events.

    Args:
        paced: whether a rate decides when calls arrive, rather than the calls themselves.
    """
    words: dict[str, st.SearchStrategy[Any]] = {
        "chunks": st.sampled_from(["whole", "events", "random"]) | st.integers(1, 50),
        "lines": st.sampled_from(["lf", "crlf", "cr"]),
        "unknown": st.booleans(),
        "interleaved": st.booleans(),
        "text": st.integers(0, 8),
        "thinking": st.integers(0, 8),
        "pings": st.none() | st.integers(1, 10).map(time),
    }
    needed: dict[str, st.SearchStrategy[Any]] = {}
    if paced:
        needed["rate"] = st.sampled_from([10, 7, 1, 40])
        words["first_token"] = words["jitter"] = TICKS.map(time)
        words["stalls"] = st.lists(st.fixed_dictionaries({"at": TICKS.map(time), "takes": TICKS.map(time)}), max_size=3)
    return st.fixed_dictionaries(needed, optional=words).map(lambda chosen: Stream(level="bytes", **chosen))
