"""Executors that stop the wrong calls, the right ones at the wrong time, or none (SPEC 11)."""

from typing import Any

from defects import defect
from plain import Plain, Work
from seasoning import failing, refusing, stubborn

from executor import Outcome, Stopped, ToolOutput


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


@defect("L2")
class NeverCancels(Plain):
    """An abort fires signals and leaves it at that."""

    def cancel(self, call: Work) -> None:
        pass
