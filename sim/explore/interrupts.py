"""Ctrl-C while an exploration goes on: taken between two runs, never in the middle of one.

The rule: the signal's handler leaves a note and ordinary code raises. What a handler raises can be lost, for it may
come while the garbage collector calls back, as into Hypothesis; and a coroutine hit in mid-run is never awaited. No
times here.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from sim.show.amounts import counted

from .exploration import Exploration
from .plan import Plan
from .trial import Ended, Trial


class Interrupted(KeyboardInterrupt):
    """An exploration was ended by Ctrl-C.

    Args:
        so_far: what it had seen; its failures as they were found, not made small.
    """

    def __init__(self, so_far: Exploration) -> None:
        super().__init__(f"interrupted after {counted(so_far.tried, 'schedule')}")
        self.so_far = so_far


@contextmanager
def between_runs(trial: Trial) -> Iterator[Trial]:
    """Let Ctrl-C end the work before the trial's next run; pressed twice it ends the run too.

    A handler of somebody else's is left alone, and so is a thread that gets no signals.

    Yields:
        The trial that is to be run.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield trial
        return
    pressed = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        if pressed.is_set():
            signal.default_int_handler(number, frame)
        pressed.set()

    def raise_if_pressed() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    def run(plan: Plan) -> Ended:
        raise_if_pressed()
        return trial(plan)

    before = signal.signal(signal.SIGINT, note)
    try:
        yield run
        raise_if_pressed()
    finally:
        signal.signal(signal.SIGINT, before)
