"""The notebooks, executed from nothing, show what is kept in them."""

import json
import re
import tempfile
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("matplotlib", reason="the analysis extra brings it")
pytest.importorskip("ipykernel", reason="the dev extra brings it")

from notebook_runs import NOTEBOOKS, ROOT, executed, shown

MOST_BYTES = 300_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_again_what_is_kept_in_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Debuggers ask for it, and a kernel is none.
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    kept = nbformat.read(path, as_version=4)
    assert any(shown(kept)), "run `python tests/notebooks/notebook_runs.py`"
    assert shown(executed(path)) == shown(kept)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_holds_nothing_of_the_machine_it_was_made_on(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text) < MOST_BYTES
    assert not re.search(r"site-packages|iopub|File \\\"", text)
    assert not any(str(place) in text for place in (ROOT, Path.home(), Path(tempfile.gettempdir())))
    for cell in json.loads(text)["cells"]:
        assert all(output["output_type"] != "error" for output in cell.get("outputs", []))
        assert cell["id"]


def test_notebooks_are_numbered_without_a_gap() -> None:
    assert [path.name[:2] for path in NOTEBOOKS] == [f"{number:02}" for number in range(1, len(NOTEBOOKS) + 1)]
