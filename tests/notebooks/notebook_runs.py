"""Executes the notebooks. As a script it keeps what comes out: ``python tests/notebooks/notebook_runs.py [NAME…]``.

The rule: what is printed and every table must come out as it is kept; of pictures only that there is one. Nothing of
the machine is in a notebook: no paths, no times.
"""

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LONGEST_S = 60
"""How long a cell may take, on a busy machine."""


def executed(path: Path) -> Any:
    """Execute a notebook from nothing, and give it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=LONGEST_S, kernel_name="python3", record_timing=False, resources={"metadata": {"path": ROOT}}
    )
    client.execute()
    return notebook


def shown(notebook: Any) -> list[list[str]]:
    """Give what each cell shows, output by output: text, and which pictures there are."""
    return [
        [shown_by(output) for output in joined(cell.outputs)] for cell in notebook.cells if cell.cell_type == "code"
    ]


def shown_by(output: Any) -> str:
    """Give the text of one output; a picture is its kinds alone."""
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    pictures = [kind for kind in output.data if kind.startswith("image/")]
    return ", ".join(pictures) or str(output.data["text/plain"])


def joined(outputs: list[Any]) -> list[Any]:
    """Join neighbouring pieces of one stream, which come as the kernel happens to send them."""
    found: list[Any] = []
    for output in outputs:
        if found and output.output_type == "stream" == found[-1].output_type and output.name == found[-1].name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def keep(path: Path) -> None:
    """Execute a notebook and keep its outputs, in one form: one picture and the plain text of each."""
    notebook = executed(path)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for one in [path for path in NOTEBOOKS if not sys.argv[1:] or path.stem in sys.argv[1:]]:
        keep(one)
        print(f"{one.name}: {one.stat().st_size / 1000:.0f} kB")
