"""Write VALIDATION.md: every recorded response with several calls beside a run under the profile of its version.

Run as ``python tests/reality/validation.py [FOLDER]`` in the project's root; the folder of recordings is
``../shared/traces``. The rule: what is not as recorded is named, with what the file tells of it.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

from material import CLAUDE, OTHER_ENGINE, Material, Measured, Off, changed, measure, off, play, replayed
from recorded_facts import facts

from scenarios.traces import PROFILES, RecordedTurn
from sim.analysis.fidelity import Fidelity, Neighbours, Start

PAGE = Path("VALIDATION.md")
TRACES = Path("..") / "shared" / "traces"
MS = 1_000_000
LATE_NS = 20 * MS
"""From how far off on a start is named."""

FEWEST = 8
"""How few calls of a tool tell a median."""

HEAD = """# Validation against reality

Real sessions of other people's agents, each response with several calls beside a run of ours under the profile of the
version that wrote it (`interlock profiles`). `make validate` writes this page from `../shared/traces`, which is no part
of the project; a test holds the aims wherever that folder is.

**What a run is given:** when blocks arrived, how long each call took, which calls failed by themselves, the user's
stop, and the profile. A call's length is its recorded end less the start that the schedule's rule gives. How long a
cancelled call would have taken nobody knows: it lasts until something cuts it. **What a run is not given:** the lines
of hooks, which witness when calls started, and other signs of it; what an error cancels; the order of results.

So this is no proof that lengths are right: they are input. It is one that calls start when we say, that errors reach
those whom they reached and nobody else, and that results come in the order in which they came. The rule that gives the
lengths is the one that is tested, but it cannot bend to fit everything: where it says a later start than there was, a
call ends before it starts, and order and starts are off, as the section on what each choice is worth shows. Where it
says an earlier one, the call is only taken to be longer; that is seen by hooks, and by the lengths themselves. Codex
tells ends only as bounds, so of it nothing but the order counts.
"""
LEGEND = """\
*tied*: only results stamped with one and the same millisecond change places. *starts*: how far a run is off what a
hook's line or the file's own word tells, in the median and the 95th percentile; *by others*: off what follows from the
first sign of life, which comes some 50 ms after the start, or from the length that a tool gives itself, which leaves
out its way in: some 40 ms for a search, up to 1.6 s for a sub-agent. *neighbours*: shell commands in a row, the second
there before the first had ended; told by the second's start, or because it ended first. *most at once*: bodies side by
side in a run; so few that no limit shows.
"""
WORTH = """\
The same responses with one choice of their profile made otherwise, all else as it is. A choice whose change is not
seen here rests on its source (`interlock profiles --json`), and on what the recordings show by themselves.
"""
LENGTHS = """\
Lengths are given to the runs, so here they are looked at by themselves, for tools that only read. A call that is alone
in its response starts at the same instant under every profile. If the rule is right, calls in company are given lengths
like those; under the other engine's rule reads of the earlier versions would take as long as the rest of the response
took to arrive, and many of the later ones nothing at all.
"""
SHOWN = """\
Counted without any run. The sources of the profiles give the same counts over a larger body of sessions, of which
these are a part.
"""


def page(found: Material) -> str:
    """Write the whole page."""
    sections = {
        "Aims": aims(found),
        "Beside the recordings": beside(found),
        "What is not as recorded": misses(found),
        "What each choice is worth": worth(found),
        "How long calls are": lengths(found),
        "What the recordings show by themselves": shown(found),
        "Not played": not_played(found),
    }
    parts = [HEAD, read_here(found), ""]
    for title, lines in sections.items():
        parts += [f"## {title}", "", *(list(lines) or ["Nothing."]), ""]
    return "\n".join(parts).replace("\n\n\n", "\n\n").rstrip() + "\n"


def read_here(found: Material) -> str:
    """Say what was read."""
    several, calls = len(found.played), sum(len(each.turn.calls) for _, each in found.played)
    odd = f" {found.unreadable} more files are no sessions." if found.unreadable else ""
    return (
        f"Read here: {found.files} files with {found.turns} responses that call tools; {several} of them have several\n"
        f"calls, {calls} in all.{odd}"
    )


def aims(found: Material) -> list[str]:
    """Hold what came out against what it should be, over the sessions of Claude Code."""
    told = measure(found.of(*CLAUDE))
    alone = off([start for each in found.alone if each.turn.choice.profile in CLAUDE for start in each.starts])
    rows = [
        ("order of results as recorded", "99 %", share(told.same + told.tied, told.responses), told.responses),
        ("cancelled calls as recorded", "100 %", share(told.cancelled_same, told.responses), told.responses),
        ("start, median off by", "5 ms", milliseconds(told.exact.median_ns), told.exact.starts),
        ("start of a call that is alone, median", "5 ms", milliseconds(alone.median_ns), alone.starts),
        ("neighbours as recorded", "100 %", share(told.neighbours_right, told.neighbours_told), told.neighbours_told),
        ("runs that break no rule", "100 %", share(told.clean, told.responses), told.responses),
    ]
    return table(("Claude Code", "aim", "reached", "of"), rows)


def beside(found: Material) -> list[str]:
    """Write the numbers of each profile."""
    rows = []
    for profile in PROFILES:
        told = measure(found.of(profile))
        cancelled = (share(told.cancelled_same, told.responses), told.with_cancelled)
        order = (told.responses, told.same, told.tied, told.other)
        rows.append(
            (profile.name, *order, *cancelled, starts(told.exact), starts(told.others), neighbours(told), told.peak)
        )
    head = ("profile", "responses", "order same", "tied", "other", "cancelled same", "with any")
    return [
        *table((*head, "starts off by", "by others", "neighbours right", "most at once"), rows),
        LEGEND,
        *neighbours_by_class(found),
    ]


def neighbours_by_class(found: Material) -> list[str]:
    """Count neighbouring shell commands by what they may do, and what is told of them."""
    pairs = [pair for each in found.of(*CLAUDE) for pair in each.neighbours]
    counted = Counter((pair.first.safe + pair.second.safe, how(pair)) for pair in pairs)
    kinds = {2: "both only read", 1: "one of them only reads", 0: "neither only reads"}
    hows = ("side by side", "one after the other", "not told")
    rows = [(kind, *(counted[safe, told] for told in hows)) for safe, kind in kinds.items()]
    return table(("neighbouring shell commands of Claude Code, recorded", *hows), rows)


def misses(found: Material) -> Iterator[str]:
    """Name what came out otherwise."""
    for path, each in found.played:
        if each.why_not is None:
            yield from (f"- {placed(path, each.turn)}: {what}" for what in missed(each))


def missed(each: Fidelity) -> Iterator[str]:
    """Say what came out otherwise in one response."""
    if each.order != "same":
        yield f"order {each.order}. {' '.join(inverted(each))}"
    if differ := each.cancelled ^ each.recorded_cancelled:
        yield f"cancelled by one of the two only: {', '.join(sorted(differ))}."
    yield from (f"the run breaks a rule: {one.rule}: {one.message}." for one in each.violations)
    yield from (late(start) for start in each.starts if start.is_exact and abs(start.error_ns) >= LATE_NS)
    for pair in each.neighbours:
        if pair.recorded is not None and pair.recorded != pair.predicted:
            lines = f"lines {pair.first.line} and {pair.second.line}"
            yield f"the commands on {lines} ran {how(pair)}, told by {pair.witness}."


def inverted(each: Fidelity) -> Iterator[str]:
    """Explain each result that came before another and should have come after."""
    for first, second in each.inversions:
        lead_ns = (first.ended_ns or 0) - (second.ended_ns or 0)
        names = f"{first.tool} on line {first.line} came before {second.tool} on line {second.line}"
        if lead_ns == 0:
            yield f"{names}: both results carry one millisecond, within which a run cannot know their order."
        elif lead_ns > 0 and first.line < second.line:
            yield (
                f"{names}, though that one ended {milliseconds(lead_ns)} earlier: the program took both at once, in "
                "request order, so it looked for results only after both had ended; a run looks at every end."
            )
        else:
            yield f"{names}, which ended {milliseconds(lead_ns)} earlier."


def late(start: Start) -> str:
    """Explain a start that is far off."""
    call = start.call
    return (
        f"{call.tool} on line {call.line} started {milliseconds(start.error_ns)} after the run's by its "
        f"{call.start_basis}: nothing in the file kept it from starting at the run's instant."
    )


def worth(found: Material) -> list[str]:
    """Write what comes out with one choice made otherwise."""
    rows = []
    for profile in CLAUDE:
        kept = {f"**{profile.name}** as it is": found.of(profile)}
        others = {what: replayed(found, profile, what) for what in changed(profile)}
        for what, played in (kept | others).items():
            told = measure(played)
            order = (told.same, told.tied, told.other, share(told.cancelled_same, told.responses))
            rows.append((what, *order, starts(told.exact), starts(told.others), neighbours(told)))
    head = ("choice", "order same", "tied", "other", "cancelled same", "starts off by", "by others")
    return [WORTH, *table((*head, "neighbours right"), rows)]


def lengths(found: Material) -> list[str]:
    """Set the lengths that calls in company are given beside those of calls that are alone in their response."""
    rows = []
    for profile in CLAUDE:
        company, otherwise = by_tool(found.of(profile)), by_tool(replayed(found, profile, OTHER_ENGINE))
        for tool in sorted(company):
            alone = found.alone_ns.get((profile.name, tool), ())
            if profile.safe(tool) is True and min(len(alone), len(company[tool])) >= FEWEST:
                medians = [milliseconds(median(each)) for each in (alone, company[tool], otherwise[tool])]
                counted = (f"{medians[0]} of {len(alone)}", f"{medians[1]} of {len(company[tool])}")
                rows.append((f"{profile.name}, {tool}", *counted, medians[2]))
    return [LENGTHS, *table(("median", "alone", "in company", "by the other engine's rule"), rows)]


def by_tool(played: Sequence[Fidelity]) -> dict[str, list[int]]:
    """Gather the lengths that runs were given, in nanoseconds."""
    gathered: dict[str, list[int]] = defaultdict(list)
    for each in played:
        for tool, ns in each.lengths_ns:
            gathered[tool].append(ns)
    return gathered


def shown(found: Material) -> list[str]:
    """Count what the recordings show without any run."""
    turns = [each.turn for _, each in found.played]
    seen = {each.name: facts(turn for turn in turns if turn.choice.profile == each) for each in CLAUDE}
    names = dict.fromkeys(name for counted in seen.values() for name in counted)
    rows = [(name, *(counted[name] for counted in seen.values())) for name in names]
    return [SHOWN, *table(("responses with several calls", *seen), rows)]


def not_played(found: Material) -> Iterator[str]:
    """Say which responses could not be played, and why; by name where times are known."""
    untimed = [(path, each) for path, each in found.played if each.why_not == "its times are unknown"]
    for kind, count in Counter(path.parent.name for path, _ in untimed).items():
        yield f"- {count} of {kind}: the files have no times."
    for path, each in found.played:
        if each.why_not not in (None, "its times are unknown"):
            yield f"- {placed(path, each.turn)}: {each.why_not}."


def placed(path: Path, turn: RecordedTurn) -> str:
    """Name a response."""
    return f"`{path.name}`, turn {turn.number}, line {turn.line} ({turn.version or 'version unknown'})"


def how(pair: Neighbours) -> str:
    """Say how two commands ran."""
    return {True: "side by side", False: "one after the other", None: "not told"}[pair.recorded]


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> list[str]:
    """Write a table in Markdown, numbers to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return [*(f"| {' | '.join(map(str, line))} |" for line in lines), ""]


def starts(told: Off) -> str:
    """Write how far starts were off: median and 95th percentile, of how many."""
    if not told.starts:
        return "-"
    return f"{milliseconds(told.median_ns)}, p95 {milliseconds(told.p95_ns)}, of {told.starts}"


def neighbours(told: Measured) -> str:
    """Write how many neighbours came out as recorded, of how many."""
    return f"{told.neighbours_right} of {told.neighbours_told}" if told.neighbours_told else "-"


def share(count: int, of: int) -> str:
    """Write a share in percent; 100 % only if nothing is missing."""
    if not of:
        return "-"
    return "100 %" if count == of else f"{min(100 * count / of, 99.9):.1f} %"


def milliseconds(ns: float | None) -> str:
    """Write a time in milliseconds."""
    return "-" if ns is None else f"{ns / MS:g} ms"


def main() -> None:
    """Write the page."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TRACES
    if not folder.is_dir():
        sys.exit(f"{folder}: expected the folder of recorded sessions, got none; name it: make validate TRACES=FOLDER")
    PAGE.write_text(page(play(folder)), encoding="utf-8")
    sys.stdout.write(f"{PAGE}: written from {folder}\n")


if __name__ == "__main__":
    main()
