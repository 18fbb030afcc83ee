"""Executors that stop the wrong calls, the right ones at the wrong time, or none (SPEC 11)."""

from functools import partial
from typing import Any, ClassVar
from unittest.mock import patch

from defects import Defect, defect, engine_of, name_of, play, register
from plain import Plain, Work
from seasoning import failing, refusing, resisting, stubborn

from executor import Outcome, Stopped, ToolOutput
from scenarios import Scenario
from sim import OwnStage, Run


@defect("F2")
class EveryToolCascades(Plain):
    """Every tool cascades."""

    def cascades(self, call: Work) -> bool:
        return self.options.cascade != "never"


@defect("F1")
class SparesQueued(Plain):
    """A cascade spares queued calls."""

    def cascade(self, culprit: Work) -> None:
        self.whys.add(Outcome.SIBLING_ERROR)
        for call in list(self.running):
            self.signal(call, Outcome.SIBLING_ERROR)


@defect("F1", season=failing)
class SparesLater(Plain):
    """A cascade spares later blocks."""

    def arrive(self, call: Work) -> None:
        whys, self.whys = self.whys, self.whys - {Outcome.SIBLING_ERROR}
        super().arrive(call)
        self.whys = whys


@defect("F3")
class CulpritToo(Plain):
    """The culprit also gets a synthetic result, in place of its own."""

    def cascade(self, culprit: Work) -> None:
        super().cascade(culprit)
        self.answer(culprit, Outcome.SIBLING_ERROR, started=True)


@defect("F4")
class StartsAfterStop(Plain):
    """A call starts after a stop."""

    def stop(self) -> None:
        self.whys.add(Outcome.USER_INTERRUPTED)
        for call in list(self.running):
            self.signal(call, Outcome.USER_INTERRUPTED)


@defect("F6")
class EmitsAfterDiscard(Plain):
    """Results are emitted after a discard."""

    def discard(self) -> None:
        self.stop_all(Outcome.STREAMING_FALLBACK)
        self.complete = True
        self.news.set()


@defect("F6")
class WaitsOutDiscard(Plain):
    """A discard waits for what runs instead of stopping it."""

    def discard(self) -> None:
        self.closed = True
        self.whys.add(Outcome.STREAMING_FALLBACK)
        self.give_up_queue()


@defect("F2")
class ForeignCancel(Plain):
    """A foreign `CancelledError` kills the siblings."""

    def on_cancelled(self, call: Work) -> ToolOutput | Stopped:
        if not call.was_cancelled and not call.signal.aborted:
            self.whys.add(Outcome.SIBLING_ERROR)
            for other in list(self.running):
                if other is not call:
                    self.signal(other, Outcome.SIBLING_ERROR)
        return super().on_cancelled(call)


@defect("L3")
class RunsOn(Plain):
    """The consumer leaves and the tools run on."""

    async def __aexit__(self, *how: object) -> None:
        self.queue.clear()


@defect("F4", season=refusing)
class RefusalStays(Plain):
    """A refusal does not rise to the turn."""

    def on_refusal(self, call: Work) -> None:
        pass


@defect("S1", season=stubborn)
class Forgotten(Plain):
    """An abandoned exclusive call is forgotten: the retry starts beside it."""

    def follow(self, before: Plain) -> None:
        pass


@defect("S1", "12.5", season=stubborn)
class Overlap(Plain):
    """The retry's calls overlap with those of the response that was given up."""

    def discard(self) -> None:
        self.closed = True
        self.news.set()

    def is_over(self) -> bool:
        return self.closed or super().is_over()

    async def __aexit__(self, *how: Any) -> None:
        if not self.closed:
            await super().__aexit__(*how)


@defect("L2", season=resisting)
class NeverCancels(Plain):
    """An abort fires signals and leaves it at that."""

    def cancel(self, call: Work) -> None:
        pass


class FlagSurvives(Plain):
    """The flag of a cascade survives the turn."""

    flag: ClassVar[set[Outcome]] = set()

    def __init__(self, stage: OwnStage) -> None:
        super().__init__(stage)
        self.whys |= self.flag

    def cascade(self, culprit: Work) -> None:
        self.flag.add(Outcome.SIBLING_ERROR)
        super().cascade(culprit)


def first_turn(scenario: Scenario) -> Run:
    FlagSurvives.flag.clear()
    return play(engine_of(FlagSurvives), scenario)


def second_turn(scenario: Scenario) -> Run:
    """Play a scenario twice, one turn after the other; the second is what is looked at."""
    first_turn(scenario)
    return play(engine_of(FlagSurvives), scenario)


def by_first_turn(run: Run) -> list[str]:
    """Judge a turn by one that is the same and comes before it: no flag outlives its turn (A2)."""
    return [] if run.digest == first_turn(run.scenario).digest else ["A2"]


register(Defect(name_of(FlagSurvives), "11", "A2", second_turn, judge=by_first_turn, beside=first_turn, season=failing))


class Addressed(Work):
    """A call whose hash is its address, as that of most objects is; which of two is higher is chance."""

    grows: ClassVar[int] = 1

    def __hash__(self) -> int:
        return self.grows * (self.index + 1)


class SetOfTasks(Plain):
    """Calls are stopped in the order of a set of tasks, which is that of their addresses."""

    def stop_all(self, why: Outcome) -> None:
        self.running = list(set(self.running))
        super().stop_all(why)


def with_addresses(grows: int, scenario: Scenario) -> Run:
    """Play a scenario where each new object lies above the one before, or below (-1)."""
    with patch("plain.Work", Addressed), patch.object(Addressed, "grows", grows):
        return play(engine_of(SetOfTasks), scenario)


downwards = partial(with_addresses, -1)


def by_repetition(run: Run) -> list[str]:
    """Judge a run by another one of the same scenario and seed (D1)."""
    return [] if run.digest == downwards(run.scenario).digest else ["D1"]


upwards = partial(with_addresses, 1)
register(Defect(name_of(SetOfTasks), "11", "D1", upwards, judge=by_repetition, beside=downwards))
