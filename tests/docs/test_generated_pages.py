"""The pages that are written from the code are as the code is now; ``make docs`` writes them."""

import re
from pathlib import Path

import api_pages
import command_page
import frames_page
import pytest

from sim.analysis.columns import COLUMNS
from sim.cli.commands import COMMANDS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("package", api_pages.PACKAGES)
def test_the_reference_is_current_and_has_every_public_name(package: str) -> None:
    text = (DOCS / "api" / f"{package}.md").read_text(encoding="utf-8")
    assert text == api_pages.page(package), "run `make docs`"
    stub = (api_pages.ROOT / package / "__init__.pyi").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^## (\w+)$", text, re.M)) == sorted(api_pages.PUBLIC.findall(stub))


@pytest.mark.parametrize("package", api_pages.PACKAGES)
def test_every_public_name_is_described_in_its_reference(package: str) -> None:
    text = (DOCS / "api" / f"{package}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| (.*) \|$", text, re.M)
    assert rows
    assert [name for name, what in rows if len(what) < 8] == []
    assert not re.search(r":\w+:`|(?<!`)``(?!`)", text), "a role or a literal is shown as it is written"


def test_the_reference_of_frames_numbers_and_figures_is_current_and_describes_each() -> None:
    text = (DOCS / "api" / "numbers.md").read_text(encoding="utf-8")
    assert text == api_pages.page_of_numbers(), "run `make docs`"
    assert re.findall(r"^## `([\w.]+)`$", text, re.M) == list(api_pages.NUMBERS)
    rows = dict(re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| (.*) \|$", text, re.M))
    assert {"gantt", "makespan_ns", "critical_path", "mean_interval", "calls_frame"} <= rows.keys()
    assert rows.keys() == set(re.findall(r"^### (\w+)$", text, re.M))
    assert [name for name, what in rows.items() if len(what) < 8] == []


def test_the_page_of_commands_is_current_and_has_every_command() -> None:
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    assert text == command_page.page(), "run `make docs`"
    assert re.findall(r"^## ([a-z]+)$", text, re.M) == list(COMMANDS)


def test_the_page_of_frames_is_current_and_has_every_column() -> None:
    text = (DOCS / "frames.md").read_text(encoding="utf-8")
    assert text == frames_page.page(), "run `make docs`"
    for columns in COLUMNS.values():
        assert all(f"`{column.name}`" in text for column in columns)
