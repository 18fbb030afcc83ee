"""What a modelled body does with its time: SimPy processes for its work and for the processes it starts.

Unit: nanoseconds.
"""

from collections.abc import Callable, Generator

import simpy
from simpy.events import Event, Process

from scenarios.calls import Call, Child
from scenarios.draws import Draws
from sim.clock import Environment, Rank


def work(
    env: Environment, spec: Call, takes_ns: int | None, report: Callable[[int], None], refuse: Callable[[], None]
) -> Generator[Event, None, bool]:
    """Do a call's work, a SimPy process: what it says at its instants, then the end; an interrupt ends it at once.

    Args:
        env: the world's clock, at the body's start.
        spec: the call.
        takes_ns: how long it works; ``None``: it hangs.
        report: told the number of each progress message.
        refuse: told when the body asks for the turn's abort.

    Returns:
        Whether the work came to its end by itself.
    """
    start_ns = env.now_ns
    steps: list[tuple[int, int | None]] = [(at_ns, n) for n, at_ns in enumerate(spec.progress)]
    if spec.refuses_ns is not None:
        steps.append((spec.refuses_ns, None))
    steps.sort(key=lambda step: step[0])
    pending: Event | None = None
    try:
        for at_ns, n in steps:
            if takes_ns is not None and at_ns > takes_ns:
                break
            pending = env.at_ns(start_ns + at_ns)
            yield pending
            if n is None:
                refuse()
            else:
                report(n)
        pending = env.event() if takes_ns is None else env.at_ns(start_ns + takes_ns)
        yield pending
    except simpy.Interrupt:
        if pending is not None:
            env.cancel(pending)
        return False
    return True


class Children:
    """The modelled processes that the calls' bodies started and that are still there.

    Args:
        env: the world's clock.
        draws: how long each takes.
    """

    def __init__(self, env: Environment, draws: Draws) -> None:
        self._env = env
        self._draws = draws
        self._alive: dict[str, tuple[Child, Process]] = {}

    @property
    def alive(self) -> tuple[str, ...]:
        """Those that run, as ``CALL/NUMBER``."""
        return tuple(self._alive)

    def start(self, spec: Call) -> None:
        """Start the processes of a call's body."""
        for n, child in enumerate(spec.children):
            name = f"{spec.id}/{n}"
            process = self._env.process(self._live(name, child))
            self._alive[name] = child, process

    def end_group(self, spec: Call) -> None:
        """End what is still in the process group of a call (B070); what has left it runs on."""
        for n, child in enumerate(spec.children):
            name = f"{spec.id}/{n}"
            if not child.survives and name in self._alive:
                self._env.interrupt(self._alive.pop(name)[1], "its group ends", rank=Rank.NORMAL)

    def _live(self, name: str, child: Child) -> Generator[Event, None, None]:
        takes = child.takes
        pending = (
            self._env.event()
            if takes == "hang"
            else self._env.timeout_ns(self._draws.duration_ns(takes, "child", name))
        )
        try:
            yield pending
        except simpy.Interrupt:
            self._env.cancel(pending)
        self._alive.pop(name, None)
