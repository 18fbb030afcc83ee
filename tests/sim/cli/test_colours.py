"""Where colours are written: on a terminal that can show them, unless somebody minds."""

import sys

import pytest

from sim.cli.console import may_colour

TERMINAL = {"TERM": "xterm-256color"}


@pytest.mark.parametrize(
    ("is_terminal", "environment", "coloured"),
    [
        (True, TERMINAL, True),
        (True, {"TERM": "dumb"}, False),
        (True, TERMINAL | {"NO_COLOR": "1"}, False),
        (True, TERMINAL | {"NO_COLOR": ""}, True),
        (False, TERMINAL, False),
        (False, TERMINAL | {"FORCE_COLOR": "1"}, True),
        (False, TERMINAL | {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colours_are_written_where_they_are_shown(monkeypatch, is_terminal, environment, coloured) -> None:
    for name in ("TERM", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    assert may_colour() is coloured
