"""An agent's session: turns one after the other on one loop, with time to think between them.

The rule: a turn of a session is the turn that it is by itself, its log included; only the clock goes on. Nanoseconds.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from executor import Engine
from scenarios.draws import Draws
from scenarios.durations import Distribution
from scenarios.model import Scenario
from sim.clock import Course

from .own import AnyExecutor
from .passing import pass_time
from .run import Run, simulate


class SessionTurn(NamedTuple):
    """One turn of a session.

    Args:
        start_ns: when it began, from the session's start.
        end_ns: when it was over.
        run: what came of it; its times count from its own start.
    """

    start_ns: int
    end_ns: int
    run: Run


def simulate_session(
    turns: Iterable[Scenario], engine: Engine | AnyExecutor = "streaming", seed: int = 0, *, think: Distribution = 0
) -> Iterator[SessionTurn]:
    """Play turns one after the other on one virtual clock, each when it is asked for; nothing is kept of those before.

    Args:
        turns: what to play, in order; may be endless.
        engine: as for :func:`simulate`.
        seed: chooses what is left open; turn ``n``, from 0 on, is ``simulate(turn, engine, seed + n)``.
        think: how long passes before each turn, in nanoseconds or as a distribution.

    Raises:
        ValueError: as :func:`simulate` does.

    >>> from scenarios import Call, Scenario
    >>> read = Scenario(calls=[Call(id="a", takes="200ms")])
    >>> [(turn.start_ns // 10**6, turn.end_ns // 10**6) for turn in simulate_session([read] * 3, think=10**9)]
    [(1000, 1200), (2200, 2400), (3400, 3600)]
    """
    draws = Draws(seed)
    with Course() as course:
        env = course.loop.env
        for n, scenario in enumerate(turns):
            course.run(pass_time(course.loop, draws.duration_ns(think, "think", str(n))))
            start_ns = env.now_ns
            run = simulate(scenario, engine, seed + n, course=course)
            yield SessionTurn(start_ns, env.now_ns, run)
