"""The response: blocks that arrive at their instants, then its end or its failure."""

from collections.abc import Callable, Generator

from simpy.events import Event

from scenarios.model import Call, Scenario
from sim.clock import Environment, Rank


class ResponseFailed(Exception):
    """The response broke off; the argument says how."""


def play_response(
    env: Environment, scenario: Scenario, deliver: Callable[[Call], None], end: Callable[[ResponseFailed | None], None]
) -> Generator[Event, None, None]:
    """Play a scenario's response, a SimPy process.

    Args:
        env: the world's clock, at the turn's start.
        scenario: what arrives when.
        deliver: takes each call when its block is complete.
        end: told of the end, with the failure if it was one.
    """
    start_ns = env.now_ns
    for call in scenario.calls:
        yield env.at_ns(start_ns + call.at_ns, rank=Rank.ARRIVAL)
        deliver(call)
    yield env.at_ns(start_ns + scenario.stream_end_ns, rank=Rank.STREAM_END)
    failures = [event.error or "the stream broke off" for event in scenario.events if event.do == "stream_error"]
    end(ResponseFailed(failures[0]) if failures else None)
