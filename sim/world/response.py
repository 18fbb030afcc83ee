"""The response: blocks that arrive at their instants, then its end or its failure."""

from collections.abc import Callable, Generator

import simpy
from simpy.events import Event

from scenarios.model import Call, Scenario
from sim.clock import Environment, Rank


class ResponseFailed(Exception):
    """The response broke off; the argument says how."""


def play_response(
    env: Environment, scenario: Scenario, deliver: Callable[[Call], None], end: Callable[[ResponseFailed | None], None]
) -> Generator[Event, None, None]:
    """Play a scenario's response, a SimPy process; an interrupt says that nobody reads it any more.

    Args:
        env: the world's clock, at the turn's start.
        scenario: what arrives when.
        deliver: takes each call when its block is complete.
        end: told of the end, with the failure if it was one.
    """
    start_ns = env.now_ns
    pending: Event | None = None
    try:
        for call in scenario.calls:
            pending = env.at_ns(start_ns + call.at_ns, rank=Rank.ARRIVAL)
            yield pending
            deliver(call)
        pending = env.at_ns(start_ns + scenario.stream_end_ns, rank=Rank.STREAM_END)
        yield pending
    except simpy.Interrupt:
        if pending is not None:
            env.cancel(pending)
        return
    failures = [event.error or "the stream broke off" for event in scenario.events if event.do == "stream_error"]
    end(ResponseFailed(failures[0]) if failures else None)
