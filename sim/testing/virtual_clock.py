"""Async tests on the virtual clock.

The rule: no other loop notices, so it is all the same which plugin for async tests is there besides. No times here.
"""

import asyncio
import functools
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from sim import clock
from sim.clock import Choices, Environment, SimLoop, format_choices
from sim.explore import explore


@contextmanager
def fresh_loop() -> Iterator[SimLoop]:
    """Give a loop, and close it with whatever is left in it unless that was done."""
    loop = SimLoop()
    yield loop
    if not loop.is_closed():
        clock.run(asyncio.sleep(0), loop=loop)


def on_virtual_clock(test: Callable[..., Coroutine[Any, Any, Any]], *, schedules: int = 1) -> Callable[..., None]:
    """Make an ordinary test of an async one.

    Args:
        test: the function; of a ``sim_loop`` among its arguments it is run on that.
        schedules: in how many orders of what ties it is run, each time with the same arguments; the test then fails
            with the error of the smallest deviation from first-come.
    """

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        clock.run(test(*args, **kwargs), loop=kwargs.get("sim_loop"))

    @functools.wraps(test)
    def run_in_many_orders(*args: Any, **kwargs: Any) -> None:
        found = explore(lambda: test(*args, **kwargs), schedules=schedules)
        for failure in found.violations:
            choices = failure.plan.choices
            try:
                clock.run(test(*args, **kwargs), loop=SimLoop(Environment(pick=Choices(choices))))
            except BaseException as error:
                order = f"what ties is taken as {format_choices(choices)}" if choices else "first come, first served"
                error.add_note(f"{found}; in the smallest, {order}")
                raise

    return run_in_many_orders if schedules > 1 else run
