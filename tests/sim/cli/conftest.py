"""The command line, run in this process."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from sim.cli.app import main


class Ended(NamedTuple):
    """How a command ended: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


Interlock = Callable[..., Ended]


@pytest.fixture
def interlock(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Interlock:
    """Run ``interlock`` with these words."""

    def run(*words: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["interlock", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, *capsys.readouterr())

    return run
