"""Worker processes for what takes all cores.

The rule: they are spawned, so that they share nothing with whoever asks, and leave Ctrl-C to it.
"""

import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context


def workers(jobs: int) -> ProcessPoolExecutor:
    """Make a pool of so many processes."""
    return ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_leave_ctrl_c_to_us)


def _leave_ctrl_c_to_us() -> None:
    # A process that is interrupted in the middle of its work would end in a traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
