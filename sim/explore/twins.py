"""Does a run repeat itself? The same plan again: here, in another process, under another hash seed (D1).

The rule: logs are compared event by event, and the first that differs is named with its neighbours, for that is where
the cause is; all that follows is its consequence. No times here.
"""

import hashlib
import json
import os
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from scenarios import Scenario

from .plan import Plan

_NEIGHBOURS = 2
_MOVED = 100_003  # objects made before anything else, so that all addresses are others


@dataclass(frozen=True)
class Difference:
    """Where two logs of one plan part.

    Args:
        twin: which run is the other one.
        at: the number of the first line that differs; 0 is the header.
        here: that line and its neighbours, in this process.
        there: the same, in the other run.
    """

    twin: str
    at: int
    here: tuple[str, ...]
    there: tuple[str, ...]

    def __str__(self) -> str:
        first = max(0, self.at - _NEIGHBOURS)

        def told(lines: Sequence[str]) -> str:
            return "\n".join(
                f"  {'>' if n == self.at else ' '} {n} {line}" for n, line in enumerate(lines, start=first)
            )

        event = f"event {self.at}" if self.at else "the header"
        return f"{event} differs from {self.twin}\n{told(self.here)}\n  {self.twin}:\n{told(self.there)}"


def differences(scenario: Scenario, plan: Plan) -> list[Difference]:
    """Run a scenario's plan again in this process, in another with a moved heap, and under another hash seed.

    Gives the first difference of each from the run here; none where all are the same to the byte.

    Raises:
        RuntimeError: another process could not run it.
    """
    here = log_lines(scenario, plan)
    twins = {
        "a second run in this process": log_lines(scenario, plan),
        "another process with a moved heap": _elsewhere(scenario, plan, hash_seed="0"),
        "another hash seed": _elsewhere(scenario, plan, hash_seed="1"),
    }
    found = (first_difference(name, here, lines) for name, lines in twins.items())
    return [difference for difference in found if difference is not None]


def first_difference(twin: str, here: Sequence[str], there: Sequence[str]) -> Difference | None:
    """Find where two logs part, by digests that roll along them.

    >>> print(first_difference("the other", ["a", "b", "c"], ["a", "x", "c"]))
    event 1 differs from the other
        0 a
      > 1 b
        2 c
      the other:
        0 a
      > 1 x
        2 c
    """
    if list(here) == list(there):
        return None
    pairs = list(zip(rolling(here), rolling(there), strict=False))
    # Once two rolling digests differ all later ones do.
    at = bisect_left(pairs, True, key=lambda pair: pair[0] != pair[1])
    part = slice(max(0, at - _NEIGHBOURS), at + _NEIGHBOURS + 1)
    return Difference(twin, at, tuple(here[part]), tuple(there[part]))


def rolling(lines: Sequence[str]) -> list[str]:
    """Give after each line the digest of all lines up to it."""

    def roll(digest: str, line: str) -> str:
        return hashlib.sha256(f"{digest}\n{line}".encode(errors="backslashreplace")).hexdigest()

    return list(accumulate(lines, roll, initial=""))[1:]


def log_lines(scenario: Scenario, plan: Plan) -> list[str]:
    """Run a plan and give its log's lines."""
    return plan.play(scenario).lines


def _elsewhere(scenario: Scenario, plan: Plan, *, hash_seed: str) -> list[str]:
    asked = {"scenario": scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True), "plan": str(plan)}
    code = f"junk = [object() for _ in range({_MOVED})]\nfrom sim.explore.twins import answer\nanswer()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUTF8": "1"},
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word of it"])[-1]
        raise RuntimeError(f"another process could not run it: {last}")
    lines: list[str] = json.loads(done.stdout)
    return lines


def answer() -> None:
    """Be the other process: read what to run, write its log's lines."""
    asked = json.load(sys.stdin)
    lines = log_lines(Scenario.model_validate(asked["scenario"]), Plan.parse(asked["plan"]))
    sys.stdout.write(json.dumps(lines))
