"""Write KNOWN_BAD.md: each known-bad executor, the rule that catches it, its smallest scenario and its timeline.

Run as ``python tests/knownbad/table.py`` in the project's root. The rule: what is written can be checked again from
what is written; searching anew is this command's work alone.
"""

import re
import sys
from itertools import islice
from pathlib import Path

import published
import scheduling
import stopping
from conftest import turns_for_defects
from defects import DEFECTS, Defect

from scenarios import Scenario, dump, loads
from sim import check
from sim.conformance.shrinking import simplest

PAGE = Path("KNOWN_BAD.md")
FILES = (published, scheduling, stopping)
HEAD = """# Known-bad executors

Each of these executors is right but for one thing. Each is caught, by the rule named here and stated in
[RULES.md](RULES.md), in the scenario shown, from which nothing can be left out. `make knownbad` writes this page;
a test plays every scenario again.
"""
SECTION = re.compile(
    r"^### (?P<name>.*)\n\n.*\n\n```yaml\n(?P<scenario>(?:.*\n)*?)```\n\n```text\n(?:.*\n)*?```\n", re.M
)
SHRUNK = 3
"""How many of the scenarios that catch a defect are made as simple as can be."""
PENDING = frozenset({"G1", "K1", "L2", "P5"})
"""Rules that have known-bad executors already and are not judged by yet."""


def smallest(defect: Defect, scenario: Scenario) -> Scenario:
    """Make a scenario that catches a defect as simple as it can be."""
    return simplest(scenario, lambda simpler: defect.rule in defect.breaks(simpler))


def section(defect: Defect, scenario: Scenario) -> str:
    """Write what there is to say about a defect."""
    run = defect.play(scenario)
    found = next((one for one in check(run) if one.rule == defect.rule), None)
    kind = "the published design's own" if defect.where.startswith("12") else "a known mistake"
    told = f"{found.rule}: {found.message}" if found else f"{defect.rule}: another run of it ends otherwise"
    drawing = re.sub(r":\d+ in ", " in ", run.timeline(width=100))
    told = re.sub(r":\d+ in ", " in ", told)
    lines = [f"### {defect.name}", "", f"Caught by **{defect.rule}**; {kind}.", "", "```yaml", dump(scenario).rstrip()]
    lines += ["```", "", "```text", *map(str.rstrip, drawing.splitlines()[1:]), told, "```", ""]
    return "\n".join(lines)


def written() -> dict[str, tuple[Scenario, str]]:
    """Read the page: each defect's scenario, and its whole section."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return {found["name"]: (loads(found["scenario"]), found[0]) for found in SECTION.finditer(text)}


def main() -> None:
    """Search a scenario for every defect and write the page."""
    turns = turns_for_defects()
    sections = []
    for defect in DEFECTS.values():
        if defect.rule not in PENDING:
            seasoned = (defect.season(turn) for turn in turns)
            caught = islice((turn for turn in seasoned if defect.rule in defect.breaks(turn)), SHRUNK)
            found = [smallest(defect, turn) for turn in caught]
            sections.append(section(defect, min(found, key=lambda one: (len(one.every_call), len(dump(one))))))
    PAGE.write_text("\n".join([HEAD, *sections]), encoding="utf-8")
    sys.stdout.write(f"{PAGE}: {len(sections)} executors\n")


if __name__ == "__main__":
    main()
