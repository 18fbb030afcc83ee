"""The progress bar of long input: shown on a terminal only, and right across files."""

import sys
from typing import Any, Self

import pytest

from sim.cli import console
from sim.cli.fuzzing import so_far
from sim.explore.fuzz import Campaign


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

    def update(self, _task: int, completed: int, total: int | None = None) -> None:
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


def test_many_scenarios_are_counted_while_nothing_is_printed_of_each(interlock, request) -> None:
    request.getfixturevalue("terminal")  # once standard error is the one that the command writes to
    turn = "scenarios/library/three_calls_in_a_stream.yaml"
    assert interlock("run", turn, turn, turn, "--json").code == 0
    assert Bar.told == [3, 0, 1, 2]
    Bar.told.clear()
    assert interlock("run", turn, turn).code == 0
    assert Bar.told == []


def test_a_campaign_tells_the_time_that_is_left_of_what_it_was_given() -> None:
    campaign = Campaign(("streaming",), jobs=1, first_seed=0, next_seed=0, spent_s=12.4)
    assert so_far(campaign, 0.5).endswith(" · 18 s left")
    assert " left" not in so_far(campaign, None)
