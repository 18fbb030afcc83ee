"""Choices: which of several events that tie at one instant is taken first (SPEC A11).

The rule: what was picked is kept as sparse deviations `{step: pick}` from first-come, where steps count the choice
points of a run from 0, so that they shrink to the few that matter and replay the run. No times here.
"""

from __future__ import annotations

import random
from collections.abc import Mapping


class Choices:
    """First-come but for the `deviations`; a pick beyond the last that ties is the last.

    To be given to one `Environment` as its `pick`.

    >>> choices = Choices({1: 2})
    >>> [choices(3), choices(3), choices(2)], choices.counts, choices.deviations
    ([0, 2, 0], [3, 3, 2], {1: 2})
    """

    def __init__(self, deviations: Mapping[int, int] | None = None) -> None:
        self.counts: list[int] = []
        """How many events tied at each choice point so far."""
        self.deviations: dict[int, int] = {}
        """What was picked so far where it was not the first."""
        self._asked = dict(deviations or {})

    def __call__(self, count: int) -> int:
        """Pick one of `count` events that tie."""
        step = len(self.counts)
        self.counts.append(count)
        pick = self.choose(step, count)
        if pick:
            self.deviations[step] = pick
        return pick

    def choose(self, step: int, count: int) -> int:
        """Say which of `count` events is taken at a step; 0 is first-come."""
        return min(self._asked.get(step, 0), count - 1)


class SeededChoices(Choices):
    """Every pick drawn evenly by a seed.

    >>> choices, same = SeededChoices(7), SeededChoices(7)
    >>> [choices(5) for _ in range(9)] == [same(5) for _ in range(9)]
    True
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(f"choices/{seed}")

    def choose(self, step: int, count: int) -> int:
        """Draw one of `count`."""
        return self._random.randrange(count)


def format_choices(deviations: Mapping[int, int]) -> str:
    """Write deviations as they stand in a command line.

    >>> format_choices({7: 2, 3: 1})
    '3:1,7:2'
    """
    return ",".join(f"{step}:{pick}" for step, pick in sorted(deviations.items()))


def parse_choices(text: str) -> dict[int, int]:
    """Read what `format_choices` writes; ValueError for anything else.

    >>> parse_choices("3:1,7:2")
    {3: 1, 7: 2}
    """
    deviations: dict[int, int] = {}
    for part in filter(None, text.split(",")):
        step, colon, pick = part.partition(":")
        if not (colon and step.isdecimal() and pick.isdecimal() and step.isascii() and pick.isascii()):
            raise ValueError(f"expected STEP:PICK pairs such as 3:1,7:2, got {part!r}")
        if int(step) in deviations:
            raise ValueError(f"expected each step once, got {step} twice")
        deviations[int(step)] = int(pick)
    return deviations
