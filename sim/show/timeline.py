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

from executor.events import INSIDE, Event
from sim.analysis.course import CallCourse, TurnCourse
from sim.analysis.reading import read_log
from sim.oracle import Violation

from .amounts import about, counted, precise
from .chart import Chart
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
    "hook": _Glyph("═", "=", "35", "hooks"),
    "asks": _Glyph("?", "?", "33", "asks whether it may"),
    "later": _Glyph("░", ":", "34", "goes on in the background"),
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
    events = list(events)
    pen, turn, width = _Pen(ascii=ascii, colour=colour), read_log(header, events), max(width, MIN_WIDTH)
    span_ns = max((event.t_ns for event in events if event.kind not in INSIDE), default=0)
    calls = _chosen(turn.calls, {call for violation in broken for call in violation.calls})
    bodies_told = any(call.started_ns is not None for call in turn.calls)
    time_text = about if header.get("estimates") else precise
    acts = ", ".join(f"{act} {time_text(t_ns)}" for t_ns, act in turn.stops)
    breaks = ", ".join(f"{one.rule} {time_text(one.at_ns)}" for one in broken)
    ran = ["" if call.ran_ns is None else time_text(call.ran_ns) for call in calls]
    endings = [_ending(call) for call in calls]
    id_cells = _widest((pen.plain(call.call) for call in calls), most=width // 8)
    tool_cells = _widest((pen.plain(call.tool) for call in calls), most=width // 8)
    left = max(id_cells + tool_cells + 7, len("response "))
    rans = _widest(ran, most=9) if width >= 80 else 0
    right = _widest([*endings, _stream_end(turn), acts, breaks], most=width // 5)
    chart = Chart(width - left - right - rans - 2, span_ns)

    def row(label: str, cells: list[str], outcome: str = "", ran: str = "") -> str:
        ran = pen.plain(ran).rjust(rans) if rans else ""
        return f"{pen.fit(label, left)}{pen.draw(cells)} {pen.fit(outcome, right)} {ran}".rstrip()

    labels, ruler = chart.axis()
    title = [str(header[key]) for key in ("engine", "scenario") if header.get(key)]
    seed = [f"seed {header['seed']}"] if "seed" in header else []
    ended = turn.ended if turn.turn_ended_ns is None else f"{turn.ended} at {time_text(turn.turn_ended_ns)}"
    lines = [
        pen.fit(" · ".join([*title, *seed, ended]), width).rstrip(),
        (" " * left + pen.plain(labels)).rstrip(),
        row("", ruler),
        row("response", chart.stream(turn), _stream_end(turn)),
    ]
    if turn.stops:
        lines.append(row("user", chart.marks((t_ns for t_ns, _ in turn.stops), "act"), acts))
    if broken:
        lines.append(row("rules", chart.marks((one.at_ns for one in broken), "broken"), breaks))
    for call, ending, took in zip(calls, endings, ran, strict=True):
        label = f"{pen.fit(call.call, id_cells, keep_end=True)} {pen.fit(call.tool, tool_cells)} {_kind(call)}"
        lines.append(row(label, chart.call(call, bodies_told=bodies_told), ending, took))
    if hidden := len(turn.calls) - len(calls):
        lines.append(pen.plain(f"and {counted(hidden, 'more call')}"))
    if turn.halted:
        lines += wrap(pen.plain(turn.halted), width)
    # An entry of the legend stays in one line.
    legend = wrap("  ".join(entry.replace(" ", "\xa0") for entry in pen.used), width)
    return "\n".join([*lines, *(line.replace("\xa0", " ") for line in legend)])


def _chosen(calls: Sequence[CallCourse], concerned: Set[str]) -> list[CallCourse]:
    """Give the calls to draw, in their order: those concerned before others, the first before later ones."""
    places = sorted(range(len(calls)), key=lambda place: calls[place].call not in concerned)[:MAX_LANES]
    return [calls[place] for place in sorted(places)]


def _kind(call: CallCourse) -> str:
    if not call.runnable:
        return "none"
    return "" if call.concurrency_safe is None else "safe" if call.concurrency_safe else "excl"


def _ending(call: CallCourse) -> str:
    if call.taken_back is not None:
        return call.taken_back
    notes = [note for note, holds in (("abandoned", call.abandoned), ("untaken", call.untaken)) if holds]
    return ", ".join([call.outcome or "no result", *notes])


def _stream_end(turn: TurnCourse) -> str:
    if not turn.responses:
        return "open" if turn.calls else "no response"
    last = turn.responses[-1]
    return "open" if last.ended_ns is None else "failed" if last.failed else "ended"


def _end_of(text: str, cells: int) -> str:
    text = text[max(0, len(text) - cells) :]
    while cell_len(text) > cells:
        text = text[1:]
    return text


def _widest(texts: Iterable[str], most: int) -> int:
    return min(max(map(cell_len, texts), default=0), most)
