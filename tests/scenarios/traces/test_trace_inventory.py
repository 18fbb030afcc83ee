"""TRACES.md says what every recorded file at hand was found to hold: none of them raises (issue 6)."""

import re
import runpy
from pathlib import Path

from scenarios.traces.formats import FORMATS

PAGE = Path(__file__).parents[3] / "TRACES.md"


def test_the_page_is_what_reading_every_file_gives(recorded: Path) -> None:
    inventory = runpy.run_path(str(Path(__file__).parent / "inventory.py"))
    assert inventory["page"](recorded) == PAGE.read_text(encoding="utf-8")


def test_every_format_has_a_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \| [\d,]+ \| [\d,]+ \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert rows == [source.name for source in FORMATS]
