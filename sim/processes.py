"""Worker processes for what takes all cores.

The rule: they are spawned, so that they share nothing with whoever asks, and leave Ctrl-C to it.
"""

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Workers(ProcessPoolExecutor):
    """A pool whose processes Ctrl-C does not reach, not even while they start."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Begin what is to be done; a process that is started for it has the signal blocked, as its parent has now."""
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Make a pool of so many processes; after Ctrl-C nobody waits for what they are at.

    Yields:
        The pool.
    """
    others = set(active_children())
    pool = Workers(jobs, get_context("spawn"), initializer=_leave_ctrl_c_to_us)
    try:
        yield pool
    except KeyboardInterrupt:
        for child in set(active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_ctrl_c_to_us() -> None:
    # A process that is interrupted in the middle of its work would end in a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
