"""When garbage is collected in a simulation.

The rule: after a fixed number of instants, never when Python's own counters of allocations say so, because these
depend on what the process did before, and finalizers that run elsewhere make another run (D1). No times here.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

EVERY: Final = 256
"""After how many instants the youngest generation is collected."""
_OLDER: Final = 16  # how many collections of one generation come before one of the next


@contextmanager
def automatic_collection_off() -> Iterator[bool]:
    """Keep Python from collecting by itself; gives whether somebody else had not already seen to that."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield was_on
    finally:
        if was_on:
            gc.enable()


def collect(instants: int) -> None:
    """Collect what is due after a number of instants that `EVERY` divides."""
    rounds = instants // EVERY
    gc.collect(0 if rounds % _OLDER else 1 if rounds % _OLDER**2 else 2)
