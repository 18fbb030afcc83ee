"""Write KNOWN_BAD.md: each known-bad executor, the rule that catches it, its smallest scenario and its timeline.

Run as ``python tests/knownbad/table.py`` in the project's root. The rule: what is written can be checked again from
what is written; searching anew is this command's work alone.
"""

import re
import sys
from itertools import islice
from pathlib import Path

import patched
import published
import scheduling
import stopping
from conftest import turns_about
from defects import DEFECTS, Defect

from scenarios import Scenario, dump, loads
from sim import Run, check
from sim.conformance.shrinking import simplest

PAGE = Path("KNOWN_BAD.md")
FILES = (published, scheduling, stopping, patched)
HEAD = """# Known-bad executors

Each of these executors is right but for one thing. Each is caught, by the rule named here and stated in
[RULES.md](RULES.md), in the scenario shown, from which nothing can be left out. Where a run shows to be wrong only
beside another one, that follows. Every rule is the first that one of them breaks. `make knownbad` writes this page; a
test plays every scenario again.
"""
SECTION = re.compile(
    r"^### (?P<name>.*)\n\n.*\n\n```yaml\n(?P<scenario>(?:.*\n)*?)```\n\n```text\n(?:.*\n)*?```\n", re.M
)
SHRUNK = 3
"""How many of the scenarios that catch a defect are made as simple as can be."""


def smallest(defect: Defect, scenario: Scenario) -> Scenario:
    """Make a scenario that catches a defect as simple as it can be."""
    return simplest(scenario, lambda simpler: defect.rule in defect.breaks(simpler))


def section(defect: Defect, scenario: Scenario) -> str:
    """Write what there is to say about a defect."""
    run = defect.play(scenario)
    found = next((one for one in check(run) if one.rule == defect.rule), None)
    kind = "the published design's own" if defect.where.startswith("12") else "a known mistake"
    told = f"{found.rule}: {found.message}" if found else f"{defect.rule}: another run of it ends otherwise"
    lines = [f"### {defect.name}", "", f"Caught by **{defect.rule}**; {kind}.", "", "```yaml", dump(scenario).rstrip()]
    lines += ["```", "", "```text", *drawing(run), re.sub(r":\d+ in ", " in ", told)]
    if defect.beside is not None:
        lines += ["", *drawing(defect.beside(scenario))]
    return "\n".join([*lines, "```", ""])


def drawing(run: Run) -> list[str]:
    """Draw a run, without its head and without places in code."""
    return [re.sub(r":\d+ in ", " in ", line).rstrip() for line in run.timeline(width=100).splitlines()[1:]]


def written() -> dict[str, tuple[Scenario, str]]:
    """Read the page: each defect's scenario, and its whole section."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return {found["name"]: (loads(found["scenario"]), found[0]) for found in SECTION.finditer(text)}


def main() -> None:
    """Search a scenario for every defect and write the page."""
    sections = []
    for defect in sorted(DEFECTS.values(), key=lambda one: not one.where.startswith("12")):
        seasoned = (defect.season(turn) for turn in turns_about(defect.about))
        caught = islice((turn for turn in seasoned if defect.rule in defect.breaks(turn)), SHRUNK)
        found = [smallest(defect, turn) for turn in caught]
        sections.append(section(defect, min(found, key=lambda one: (len(one.every_call), len(dump(one))))))
    PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")
    sys.stdout.write(f"{PAGE}: {len(sections)} executors\n")


if __name__ == "__main__":
    main()
