"""How wide a failing test's drawing may be, so that no terminal breaks its lines. Unit: terminal cells.

The rule: as wide as the terminal is, within reason; the margin is what pytest writes before each line.
"""

from typing import Final

import pytest

_MARGIN: Final = 5
_WIDEST: Final = 120
_UNKNOWN: Final = 100
"""In a worker of pytest-xdist, which has no terminal."""


def columns(config: pytest.Config) -> int:
    """Give the cells in a line of a drawing.

    Args:
        config: of the tests that run.
    """
    if config.pluginmanager.get_plugin("terminalreporter") is None:
        return _UNKNOWN
    return min(config.get_terminal_writer().fullwidth - _MARGIN, _WIDEST)
