"""CPython's own tests with SimLoop for the loop, in a process of their own: `python cpython_tests.py MODULE...`.

Prints JSON: for each module how many tests `ran`, and in `failed` for each that did not pass the end of its traceback.
"""

import gc
import importlib
import io
import json
import sys
import unittest
from contextlib import ExitStack
from unittest import mock

from test.test_asyncio import utils

from sim.clock import SimLoop


class Loop(SimLoop):
    """A SimLoop with the two calls that the tests make of their own loop; its time moves without being told to."""

    def __init__(self):
        super().__init__(max_steps_per_instant=20_000)

    def advance_time(self, advance):
        pass

    def _run_once(self):
        self.stop()
        self.run_forever()


class RunnersLoop(Loop):
    """What the tests of runners ask of a loop."""

    shutdown_ag_run = False

    async def shutdown_asyncgens(self):
        await super().shutdown_asyncgens()
        self.shutdown_ag_run = True


def new_test_loop(case, gen=None):
    """Return a loop for a test case, which may say by `gen` when time is to move: here it moves by itself."""
    loop = Loop()
    case.set_event_loop(loop)
    return loop


def run(name):
    module = importlib.import_module(name)
    with ExitStack() as patches:
        if name.endswith("test_runners"):
            patches.enter_context(mock.patch.object(module.BaseTest, "new_loop", side_effect=RunnersLoop))
        else:
            patches.enter_context(mock.patch("asyncio.new_event_loop", Loop))
            patches.enter_context(mock.patch("asyncio.events.new_event_loop", Loop))
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        # The tests collect garbage by the hundred; most of that would be a walk over what the imports left.
        gc.freeze()
        result = unittest.TextTestRunner(stream=io.StringIO(), verbosity=0, buffer=True).run(suite)
    failed = {test.id().rpartition(".")[2]: text.splitlines()[-1] for test, text in result.failures + result.errors}
    return {"ran": result.testsRun, "failed": failed}


if __name__ == "__main__":
    utils.TestCase.new_test_loop = new_test_loop
    utils.TestCase.close_loop = staticmethod(SimLoop.close)
    sys.stdout.write(json.dumps({name: run(name) for name in sys.argv[1:]}))
