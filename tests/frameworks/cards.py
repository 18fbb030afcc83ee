"""Write FRAMEWORKS.md: the report card of each framework that is installed.

Run as ``python tests/frameworks/cards.py`` in the project's root. No times here.
"""

import logging
import sys
from importlib.metadata import version
from pathlib import Path

from framework_engines import ENGINES

from sim import check_engine

PAGE = Path("FRAMEWORKS.md")
TURNS = 60
HEAD = """# Agent frameworks, examined

How frameworks run the tool calls of one response, unmodified, on the virtual clock: each rule of [RULES.md](RULES.md)
holds, is broken in the simplest scenario that shows it, or cannot be observed. `make frameworks` installs them and
writes this page; `tests/frameworks/framework_engines.py` plugs them in. They promise other things than these rules:
a broken rule says what an agent built on one has to know, not that it has a bug.
"""


def main() -> None:
    """Examine them and write the page."""
    logging.disable()
    sections = [HEAD]
    for package, engine in ENGINES.values():
        card = check_engine(engine, random_turns=TURNS, again="make frameworks")
        sections.append(f"## {package} {version(package)}\n\n```text\n{card}\n```\n")
    text = "\n".join(sections)
    PAGE.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
