"""One turn as text: a time axis, a row for the response, a lane per call.

The rule: a pure function of the log, so that equal logs are equal drawings; what the log does not tell is drawn as not
told. Times in nanoseconds from the turn's start, positions in terminal cells.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby
from textwrap import wrap
from typing import Any, Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from executor.events import Event
from sim.oracle import Violation

from .amounts import about, counted, precise, step
from .lanes import Lane, read
from .visible import visible

MAX_LANES: Final = 40
"""How many calls are drawn; of more, those that a broken rule concerns, then the first."""

MIN_WIDTH: Final = 40
"""The narrowest drawing: less is taken as this."""


class _Glyph(NamedTuple):
    unicode: str
    ascii: str
    ansi: str
    meaning: str


_GLYPHS: Final = {
    "queued": _Glyph("·", ".", "2", "queued"),
    "runs": _Glyph("━", "#", "32", "runs"),
    "fails": _Glyph("━", "#", "31", "runs"),
    "progress": _Glyph("╋", "+", "36", "progress"),
    "on": _Glyph("▶", ">", "33", "still runs"),
    "held": _Glyph("─", "-", "2", "waits to be emitted"),
    "untold": _Glyph("╌", "~", "2", "not told"),
    "emitted": _Glyph("●", "*", "1", "emitted"),
    "begin": _Glyph("├", "[", "2", ""),
    "arrives": _Glyph("─", "-", "2", ""),
    "block": _Glyph("┬", "+", "0", ""),
    "end": _Glyph("┤", "]", "2", ""),
    "failure": _Glyph("╳", "x", "31", ""),
    "act": _Glyph("▲", "^", "33", ""),
    "broken": _Glyph("✗", "!", "1;31", "rule broken"),
    "tick": _Glyph("┼", "|", "2", ""),
    "rule": _Glyph("─", "-", "2", ""),
}


@dataclass(frozen=True, slots=True)
class _Chart:
    """Cells over the turn's time: from 0 to the last row, and one cell more for a mark pushed aside."""

    cells: int
    span_ns: int

    def column(self, t_ns: int) -> int:
        """Give the nearest cell of an instant."""
        span_ns = max(self.span_ns, 1)
        return (2 * max(t_ns, 0) * (self.cells - 2) + span_ns) // (2 * span_ns)

    def axis(self) -> tuple[str, list[str]]:
        """Give the labels' line and the ruler's cells, with ticks at round times, at least twelve cells apart."""
        step_ns = step(12 * self.span_ns, self.cells - 2)
        labels, ruler = "", ["rule"] * self.cells
        for t_ns in range(0, self.span_ns + 1, step_ns):
            column = self.column(t_ns)
            ruler[column] = "tick"
            if column + len(text := precise(t_ns)) <= self.cells:
                labels = labels.ljust(column) + text
        return labels.ljust(self.cells), ruler

    def stream(self, marks: Sequence[tuple[int, str]]) -> list[str]:
        """Draw the responses: a line from each one's first mark to its last, a tick a block."""
        cells, since = [" "] * self.cells, None
        for t_ns, mark in marks:
            column = self.column(t_ns)
            if since is not None and mark != "begin":
                cells[since + 1 : column] = [cell if cell != " " else "arrives" for cell in cells[since + 1 : column]]
            cells[column] = mark
            since = None if mark in ("end", "failure") else column
        return cells

    def marks(self, instants: Iterable[int], glyph: str) -> list[str]:
        """Draw instants alone; one beyond the last row, as a rule's broken by what never came, is drawn there."""
        columns = {self.column(min(t_ns, self.span_ns)) for t_ns in instants}
        return [glyph if column in columns else " " for column in range(self.cells)]

    def lane(self, lane: Lane, bodies_told: bool) -> list[str]:
        """Draw one call: its wait, its run of at least one cell, its wait for emission, its mark."""
        cells, over = [" "] * self.cells, self.cells - 1
        here = self.column(lane.arrived_ns) if lane.arrived_ns is not None else None
        body = "runs" if lane.outcome == "ok" else "fails"
        until = self.column(lane.emitted_ns) if lane.emitted_ns is not None else over

        def fill(start: int | None, stop: int, glyph: str) -> None:
            start = stop if start is None else start
            cells[start:stop] = [glyph] * len(cells[start:stop])

        if lane.entered_ns is None:
            waits = "queued" if bodies_told or not lane.started or lane.kind == "none" else "untold"
            gone = until if lane.left_ns is None else self.column(lane.left_ns)
            fill(here, gone, waits)
        else:
            start = self.column(lane.entered_ns)
            gone = over if lane.left_ns is None else max(self.column(lane.left_ns), start + 1)
            fill(here, start, "queued")
            fill(start, gone, body)
            for t_ns in lane.progress_ns:
                cells[min(max(self.column(t_ns), start), gone - 1)] = "progress"
            if lane.left_ns is None:
                cells[gone - 1] = "on"
        if lane.left_ns is not None and lane.outcome != "discarded":
            fill(gone, until, "held")
        if lane.emitted_ns is not None:
            early = lane.left_ns is None or lane.emitted_ns < lane.left_ns
            cells[until if early else max(gone, until)] = "emitted"
        return cells


@dataclass(frozen=True, slots=True)
class _Pen:
    """Turns names and cells into text, in one character set, with or without colour."""

    ascii: bool
    colour: bool
    used: dict[str, None] = field(default_factory=dict)

    def plain(self, text: str) -> str:
        """Make a text safe to print, in ASCII if that is asked for."""
        shown = visible(text)
        return shown.replace("µ", "u").replace("·", "-").encode("ascii", "replace").decode() if self.ascii else shown

    def fit(self, text: str, cells: int, *, keep_end: bool = False) -> str:
        """Fill or cut a text to a number of cells; ids are told apart by their ends."""
        text, cut = self.plain(text), "~" if self.ascii else "…"
        if cell_len(text) > cells:
            text = cut + _end_of(text, cells - 1) if keep_end else set_cell_size(text, cells - 1) + cut
        return set_cell_size(text, cells)

    def draw(self, cells: Iterable[str]) -> str:
        """Draw cells by their glyphs; neighbours of one kind share a colour."""
        drawn = []
        for name, group in groupby(cells):
            if name == " ":
                drawn.append(" " * len(list(group)))
                continue
            glyph = _GLYPHS[name]
            text = (glyph.ascii if self.ascii else glyph.unicode) * len(list(group))
            drawn.append(f"\x1b[{glyph.ansi}m{text}\x1b[0m" if self.colour else text)
            if glyph.meaning:
                self.used[f"{text[0]} {glyph.meaning}"] = None
        return "".join(drawn)


def timeline(
    header: Mapping[str, Any],
    events: Iterable[Event],
    *,
    width: int = 100,
    ascii: bool = False,
    colour: bool = False,
    broken: Sequence[Violation] = (),
) -> str:
    """Draw one turn for a terminal, or for the message of a failing test.

    Args:
        header: the log's header; engine, scenario and seed are shown where it has them, and times with two digits
            where it says that they are ``estimates`` (B121).
        events: the log's rows; kinds that are missing are drawn as not told.
        width: cells in a line, at least :data:`MIN_WIDTH`.
        ascii: draw with ASCII characters only.
        colour: colour with ANSI escapes.
        broken: the rules that the log breaks; their instants are marked, and the calls concerned are drawn for sure.
    """
    pen, turn, width = _Pen(ascii=ascii, colour=colour), read(events), max(width, MIN_WIDTH)
    lanes = _chosen(turn.lanes, {call for violation in broken for call in violation.calls})
    time_text = about if header.get("estimates") else precise
    acts = ", ".join(f"{act} {time_text(t_ns)}" for t_ns, act in turn.acts)
    breaks = ", ".join(f"{one.rule} {time_text(one.at_ns)}" for one in broken)
    ran = {lane: "" if lane.ran_ns is None else time_text(lane.ran_ns) for lane in lanes}
    id_cells = _widest((pen.plain(lane.id) for lane in lanes), most=width // 8)
    tool_cells = _widest((pen.plain(lane.tool) for lane in lanes), most=width // 8)
    left = max(id_cells + tool_cells + 7, len("response "))
    rans = _widest(ran.values(), most=9) if width >= 80 else 0
    right = _widest([*(lane.outcome for lane in lanes), turn.stream_end, acts, breaks], most=width // 5)
    chart = _Chart(width - left - right - rans - 2, turn.span_ns)

    def row(label: str, cells: list[str], outcome: str = "", ran: str = "") -> str:
        ran = pen.plain(ran).rjust(rans) if rans else ""
        return f"{pen.fit(label, left)}{pen.draw(cells)} {pen.fit(outcome, right)} {ran}".rstrip()

    labels, ruler = chart.axis()
    title = [str(header[key]) for key in ("engine", "scenario") if header.get(key)]
    seed = [f"seed {header['seed']}"] if "seed" in header else []
    ended = turn.ended if turn.ended_ns is None else f"{turn.ended} at {time_text(turn.ended_ns)}"
    lines = [
        pen.fit(" · ".join([*title, *seed, ended]), width).rstrip(),
        (" " * left + pen.plain(labels)).rstrip(),
        row("", ruler),
        row("response", chart.stream(turn.stream), turn.stream_end),
    ]
    if turn.acts:
        lines.append(row("user", chart.marks((t_ns for t_ns, _ in turn.acts), "act"), acts))
    if broken:
        lines.append(row("rules", chart.marks((one.at_ns for one in broken), "broken"), breaks))
    for lane in lanes:
        label = f"{pen.fit(lane.id, id_cells, keep_end=True)} {pen.fit(lane.tool, tool_cells)} {lane.kind}"
        lines.append(row(label, chart.lane(lane, turn.bodies_told), lane.outcome, ran[lane]))
    if hidden := len(turn.lanes) - len(lanes):
        lines.append(pen.plain(f"and {counted(hidden, 'more call')}"))
    if turn.halted:
        lines += wrap(pen.plain(turn.halted), width)
    # An entry of the legend stays in one line.
    legend = wrap("  ".join(entry.replace(" ", "\xa0") for entry in pen.used), width)
    return "\n".join([*lines, *(line.replace("\xa0", " ") for line in legend)])


def _chosen(lanes: Sequence[Lane], concerned: Set[str]) -> list[Lane]:
    """Give the lanes to draw, in their order: those concerned before others, the first before later ones."""
    places = sorted(range(len(lanes)), key=lambda place: lanes[place].id not in concerned)[:MAX_LANES]
    return [lanes[place] for place in sorted(places)]


def _end_of(text: str, cells: int) -> str:
    text = text[max(0, len(text) - cells) :]
    while cell_len(text) > cells:
        text = text[1:]
    return text


def _widest(texts: Iterable[str], most: int) -> int:
    return min(max(map(cell_len, texts), default=0), most)
