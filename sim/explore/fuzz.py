"""Fuzz: random turns in random orders under several engines, on all cores, until the time is up.

The rule: batch after batch by consecutive seeds; what was begun and not finished when the campaign is interrupted is
run again when it goes on. The budget is real time, in seconds; all else is virtual.
"""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from itertools import count, islice

from sim.processes import workers

from .batch import Batch, Tally, run_batch
from .confidence import confidence
from .corpus import Corpus, Kept

TURNS = 200
"""Turns in a batch: a second or so, which is how long an interrupted campaign takes to end."""


@dataclass
class Campaign:
    """What came of a campaign, and of its part so far.

    Args:
        engines: by name.
        jobs: how many processes.
        first_seed: the first batch's.
        next_seed: the first that was not finished.
        spent_s: how long it took, in real seconds.
        tally: what was run and seen.
        kept: the failures, each in its file.
        interrupted: it was ended by hand.
    """

    engines: tuple[str, ...]
    jobs: int
    first_seed: int
    next_seed: int
    spent_s: float = 0.0
    tally: Tally = field(default_factory=Tally)
    kept: list[Kept] = field(default_factory=list)
    interrupted: bool = False

    @property
    def known(self) -> frozenset[tuple[str, str]]:
        """The kinds of failure that were found, each with its engine."""
        return frozenset((found.kind, found.engine) for found in self.tally.found)

    def take_in(self, tally: Tally, corpus: Corpus) -> None:
        """Count a batch, and keep what it found unless another one did meanwhile."""
        new = [found for found in tally.found if (found.kind, found.engine) not in self.known]
        self.tally.add(replace(tally, found=new))
        self.kept += map(corpus.keep, new)

    @property
    def pace(self) -> str:
        """How fast it goes, in words."""
        spent_s = self.spent_s or 1e-9
        turns_per_s, runs_per_s = self.tally.turns / spent_s, self.tally.runs / spent_s
        simulated = self.tally.simulated_ns / 1e9 / spent_s
        return f"{turns_per_s:,.0f} turns/s · {runs_per_s:,.0f} runs/s · {simulated:,.0f} simulated s per s"

    def __str__(self) -> str:
        return confidence(self.tally.failing, self.tally.turns)


def fuzz(
    engines: Sequence[str] = ("streaming", "batch", "serial"),
    *,
    corpus: Corpus,
    minutes: float | None = None,
    batches: int | None = None,
    jobs: int | None = None,
    turns: int = TURNS,
    on_progress: Callable[[Campaign], None] = lambda campaign: None,
) -> Campaign:
    """Run random turns until the time is up or somebody presses Ctrl-C; goes on where the corpus says it stopped.

    Args:
        engines: by name: ``streaming``, ``batch``, ``serial``, ``module:function``.
        corpus: where failures are kept, made small, and how far the campaign has come.
        minutes: of real time; no end without it.
        batches: at most so many.
        jobs: processes at once; as many as there are cores without it.
        turns: how many there are in a batch.
        on_progress: told after each batch.
    """
    first = corpus.next_seed
    campaign = Campaign(tuple(engines), jobs or os.cpu_count() or 1, first, first)
    began_s = time.perf_counter()
    to_come = iter(count(first) if batches is None else range(first, first + batches))
    to_begin = first
    begun: dict[Future[Tally], int] = {}
    try:
        with workers(campaign.jobs) as pool:
            while True:
                in_time = minutes is None or time.perf_counter() - began_s < minutes * 60
                for seed in islice(to_come, campaign.jobs - len(begun) if in_time else 0):
                    begun[pool.submit(run_batch, Batch(seed, turns, campaign.engines, campaign.known))] = seed
                    to_begin = seed + 1
                if not begun:
                    return campaign
                done, _ = wait(begun, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=begun.__getitem__):
                    del begun[future]
                    campaign.take_in(future.result(), corpus)
                campaign.next_seed = min(begun.values(), default=to_begin)
                corpus.reached(campaign.next_seed)
                campaign.spent_s = time.perf_counter() - began_s
                on_progress(campaign)
    except KeyboardInterrupt:
        campaign.interrupted = True
        return campaign
