"""Write TRACES.md: what was found in every recorded session at hand, and how much of it is known.

Run as ``python tests/scenarios/traces/inventory.py`` in the project's root; ``../shared/traces`` must be there. The
rule: everything is counted by reading every file, nothing is written by hand. No times here.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from executor.calls.outcome import Outcome
from scenarios.traces import RecordedCall, RecordedTurn, read_trace
from scenarios.traces.formats import FORMATS

ROOT: Final = Path(__file__).resolve().parents[3]
PAGE: Final = ROOT / "TRACES.md"
RECORDED: Final = ROOT.parent / "shared" / "traces"
HEAD: Final = """# Recorded sessions

Every recorded file that this project was built with, read by its own importers, without one exception. The files are
other people's and no part of this repository; `make traces` reads them in `../shared/traces` and writes this page, and
a test holds it to them where they are. `interlock formats` says what each format can tell; here is what the files did.

## What is in them

A turn is a response that calls tools. A call has no result where the file ends before it, or never says any. What is
damaged is reported with its line, and what is still whole is read.
"""
KNOWN: Final = """
## What is known of each call

*told*: the file writes it. *bound*: it was then at the latest. *derived*: from the schedule's rule, the tool's own
report or its progress; *estimated* where that is uncertain. *unknown*: nothing tells, and no number stands in for it.
Starts are of calls that ran.
"""
DAMAGE: Final = """
## What was damaged or odd

Names, numbers and quotations left out.
"""
_NEVER_RAN: Final = (Outcome.INVALID_INPUT, Outcome.UNKNOWN_TOOL)


class Row:
    """What the files of one format hold."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.facts: dict[str, Counter[str]] = {name: Counter() for name in ("arrival", "start", "end", "outcome")}
        self.progress = 0

    def add(self, turn: RecordedTurn) -> None:
        """Count one turn in."""
        self.counts.update(turns=1, several=len(turn.calls) > 1, calls=len(turn.calls))
        for call in turn.calls:
            self.counts["unanswered"] += call.outcome is None
            self.progress += bool(call.progress_ns)
            self.facts["arrival"][_arrival(turn, call)] += 1
            self.facts["end"][_end(call)] += 1
            self.facts["outcome"]["unknown" if call.outcome is None else "told"] += 1
            if call.outcome not in _NEVER_RAN and not (call.started_ns is None and _was_cancelled(call)):
                self.facts["start"][_start(call)] += 1


def _was_cancelled(call: RecordedCall) -> bool:
    return call.outcome in (Outcome.SIBLING_ERROR, Outcome.USER_INTERRUPTED, Outcome.STREAMING_FALLBACK)


def _arrival(turn: RecordedTurn, call: RecordedCall) -> str:
    return "unknown" if call.arrived_ns is None else "bound" if turn.arrival_bound else "told"


def _start(call: RecordedCall) -> str:
    if call.started_ns is None:
        return "unknown"
    if call.start_basis in ("recorded", "hook"):
        return "told"
    return "estimated" if call.estimated and call.start_basis == "rule" else "derived"


def _end(call: RecordedCall) -> str:
    if call.ended_ns is None:
        return "unknown"
    return "bound" if call.estimated and call.start_basis != "rule" else "told"


def read_all(recorded: Path) -> tuple[dict[str, Row], Counter[tuple[str, str]]]:
    """Read every file; gives a row for each format and how often which damage was found in it."""
    rows = {source.name: Row() for source in FORMATS}
    damages: Counter[tuple[str, str]] = Counter()
    for path in sorted(recorded.glob("*/*")):
        reader = read_trace(path)
        row = rows[reader.format]
        for turn in reader:
            row.add(turn)
        row.counts.update(files=1, damage=len(reader.damage))
        damages.update((reader.format, plain(damage.what)) for damage in reader.damage)
    return rows, damages


def plain(what: str) -> str:
    """Leave out of a damage's words what is this one file's alone."""
    # One of them is of the same kind as many.
    what = what.replace("more such line)", "more such lines)").replace("the line from here is", "1 lines from here are")
    words = re.sub(r"'.*'|\b(?:toolu|call|tool|uuid)_?\S*\d\S*", "…", what)
    return re.sub(r"\d+", "n", re.sub(r"(tool_use|result of|uuid|for|call) (?:id )?\S*\d\S*", r"\1 …", words))


def page(recorded: Path) -> str:
    """Write the page."""
    rows, damages = read_all(recorded)
    return "\n".join([HEAD, *_contents(rows), KNOWN, *_knowledge(rows), DAMAGE, *_damages(damages), ""])


def _contents(rows: dict[str, Row]) -> Iterator[str]:
    names = ("files", "turns", "several", "calls", "unanswered", "damage")
    yield "| format | files | turns | of several calls | calls | without a result | damage |"
    yield "| --- | --: | --: | --: | --: | --: | --: |"
    total: Counter[str] = Counter()
    for name, row in rows.items():
        total.update(row.counts)
        yield f"| `{name}` | " + " | ".join(f"{row.counts[each]:,}" for each in names) + " |"
    yield "| all | " + " | ".join(f"{total[each]:,}" for each in names) + " |"


def _knowledge(rows: dict[str, Row]) -> Iterator[str]:
    yield "| format | arrival | start | end | progress | outcome |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, row in rows.items():
        if row.counts["calls"]:
            told = {fact: _listed(counts) for fact, counts in row.facts.items()}
            shown = f"{row.progress:,} told" if row.progress else "unknown"
            yield f"| `{name}` | {told['arrival']} | {told['start']} | {told['end']} | {shown} | {told['outcome']} |"


def _listed(counts: Counter[str]) -> str:
    order = ("told", "bound", "derived", "estimated", "unknown")
    return " · ".join(f"{counts[how]:,} {how}" for how in order if counts[how])


def _damages(damages: Counter[tuple[str, str]]) -> Iterator[str]:
    yield "| format | how often | what |"
    yield "| --- | --: | --- |"
    for (name, what), count in sorted(damages.items(), key=lambda one: (one[0][0], -one[1], one[0][1])):
        yield f"| `{name}` | {count} | {what.replace('|', '¦')} |"


def main() -> None:
    """Write the page anew."""
    PAGE.write_text(page(RECORDED), encoding="utf-8")
    sys.stdout.write(f"{PAGE.name}: {sum(1 for _ in RECORDED.glob('*/*'))} files\n")


if __name__ == "__main__":
    main()
