"""Time that passes for a coroutine of the modelled world.

The rule: who is cancelled leaves nothing on the clock (B114). Unit: nanoseconds.
"""

import asyncio
from collections.abc import Callable

from sim.clock import SimLoop


async def pass_time(loop: SimLoop, takes_ns: int | None, obeys: Callable[[], bool] = lambda: True) -> None:
    """Let time pass.

    Args:
        loop: whose time.
        takes_ns: how much; ``None`` for ever.
        obeys: asked at a cancellation whether it is obeyed.

    Raises:
        asyncio.CancelledError: cancelled, and it obeys.
    """
    event = loop.env.event() if takes_ns is None else loop.env.timeout_ns(takes_ns)
    while True:
        try:
            await loop.as_future(event)
            return
        except asyncio.CancelledError:
            if obeys():
                loop.env.cancel(event)
                raise
