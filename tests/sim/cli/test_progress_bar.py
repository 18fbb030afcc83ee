"""The progress bar of long input: shown on a terminal only, and right across files."""

import sys
from typing import Any, Self

import pytest

from sim.cli import console


class Bar:
    """Stands for rich's bar: keeps what it is told."""

    told: list[int]

    def __init__(self, *_columns: Any, **_options: Any) -> None:
        Bar.told = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None: ...

    def add_task(self, _name: str, total: int) -> int:
        Bar.told.append(total)
        return 0

    def update(self, _task: int, completed: int) -> None:
        Bar.told.append(completed)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "Progress", Bar)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


@pytest.mark.usefixtures("terminal")
def test_the_bar_counts_on_from_file_to_file_whatever_their_sizes() -> None:
    with console.reading([1_000_000, 3_000_000]) as of_file:
        first, second = of_file(0), of_file(1)
        assert first is not None
        assert second is not None
        first(1_000_000, 1_000_000)
        second(1_500_000, 3_000_000)
        second(3_000_000, 3_000_000)
    assert Bar.told == [4_000_000, 1_000_000, 2_500_000, 4_000_000]


@pytest.mark.usefixtures("terminal")
def test_short_input_shows_no_bar() -> None:
    with console.reading([1_000]) as of_file:
        assert of_file(0) is None


def test_no_bar_is_written_where_there_is_no_terminal() -> None:
    with console.reading([9_000_000]) as of_file:
        assert of_file(0) is None
