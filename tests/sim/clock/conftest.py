"""What the clock's tests share."""

import pytest

from sim.clock import SimLoop


@pytest.fixture
def loop():
    """A simulated loop of the test's own."""
    loop = SimLoop()
    yield loop
    loop.close()
