"""What a scenario leaves to chance, drawn from its seed.

The rule: every source (how long one call takes, whether it fails, when one question is answered) has a random stream of
its own, named after it, so that a call or a hook more shifts nobody else's draws. Unit: nanoseconds.
"""

import random
from typing import Final

from .durations import Distribution, draw_ns


class Draws:
    """The draws of one run.

    Args:
        seed: chooses them; equal seeds, equal draws.

    >>> from scenarios.durations import Uniform
    >>> takes = Uniform(low="1s", high="9s")
    >>> draws = Draws(7)
    >>> draws.duration_ns(takes, "call", "a") == Draws(7).duration_ns(takes, "call", "a")
    True
    >>> draws.duration_ns(takes, "call", "a") == draws.duration_ns(takes, "call", "b")
    False
    """

    def __init__(self, seed: int) -> None:
        self._seed: Final = seed

    def duration_ns(self, distribution: Distribution, *source: str) -> int:
        """Draw how long something takes; a fixed duration is no draw."""
        return distribution if isinstance(distribution, int) else draw_ns(distribution, self.stream(*source))

    def happens(self, rate: float, *source: str) -> bool:
        """Draw whether something happens that does so in ``rate`` of all cases, from 0 to 1."""
        return self.stream(*source).random() < rate if 0 < rate < 1 else rate >= 1

    def stream(self, *source: str) -> random.Random:
        """Give the random stream of one source, from its beginning."""
        return random.Random(repr((self._seed, *source)))
