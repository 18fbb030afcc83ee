"""One turn drawn into rows: the response above, a row for each call, or a row for each lane where there are many.

The rule: rows count downwards from the one given, nothing in a row overlaps (B122), and what no row is left for is
counted. Times in seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import pandas as pd
from matplotlib.axes import Axes

from sim.analysis.lanes import lanes

from .marks import Span, draw_bars, draw_marks
from .paper import name

By = Literal["call", "lane"]

MOST_ROWS: Final = 40
"""How many rows of calls or lanes a turn gets; and of more calls than this each lane has a row, not each call."""

_MOST_MARKS: Final = 150
"""How many blocks are marked on a response; of more than fit, the marks would be all that is seen of it."""

_LONGEST: Final = 20
"""How many characters of a call's id, and of its tool's name, stand beside its row: the time needs the room."""
_TIMES: Final = ("response_ended_s", "arrived_s", "admitted_s", "started_s", "ended_s", "settled_s", "emitted_s",
                 "background_until_s", "post_hooks_ended_s", "question_answered_s")  # fmt: skip


@dataclass(frozen=True, slots=True)
class DrawnTurn:
    """What was drawn: the labels of rows from the first on, the last instant, and notes for under the figure."""

    labels: tuple[str, ...]
    until_s: float
    notes: tuple[str, ...]


def turns_of(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Divide a frame of calls by turn, in order; what the frame's ``attrs`` say of other turns is left behind."""
    for (source, turn, engine), calls in frame.groupby(["source", "turn", "engine"], sort=False, dropna=False):
        part = calls.copy()
        part.attrs = {
            key: [row for row in frame.attrs.get(key, ()) if row[0] == turn] for key in ("stops", "violations")
        }
        part.attrs["title"] = " · ".join(part for part in (name(str(source), 60), name(str(engine))) if part)
        yield part


def draw_turn(ax: Axes, calls: pd.DataFrame, first_row: int = 0, by: By | None = None) -> DrawnTurn:
    """Draw a turn.

    Args:
        ax: the axes.
        calls: the calls of one turn, as :func:`turns_of` gives them.
        first_row: the row of the response.
        by: what gets a row, calls or lanes; by how many calls there are without it.
    """
    until_s = float(calls[list(_TIMES)].max().max()) if len(calls) else 0.0
    until_s = max(0.0 if until_s != until_s else until_s, *(at_s for _, at_s, *_ in _acts(calls)), 0.0)
    table = _Table(ax, calls.reset_index(drop=True), first_row, until_s)
    merged = table.response()
    if by == "lane" or (by is None and len(calls) > MOST_ROWS):
        labels, notes = table.by_lane()
    else:
        labels, notes = table.by_call()
    table.user()
    return DrawnTurn(("response", *labels), until_s, (*notes, *merged))


def _acts(calls: pd.DataFrame) -> list[Any]:
    return [*calls.attrs.get("stops", ())]


@dataclass(frozen=True, slots=True)
class _Table:
    ax: Axes
    calls: pd.DataFrame
    first_row: int
    until_s: float

    def response(self) -> list[str]:
        """Draw each attempt at the response, and where blocks were complete; says how many marks stand for more."""
        attempts = self.calls.drop_duplicates("attempt")[["attempt", "response_started_s", "response_ended_s"]]
        last = attempts["attempt"].max()
        kept, given_up = list[Span](), list[Span]()
        for attempt, start_s, end_s in attempts.itertuples(index=False):
            if start_s == start_s:
                span = (self.first_row, start_s, self.until_s if end_s != end_s else end_s)
                (kept if attempt == last else given_up).append(span)
        draw_bars(self.ax, "response", kept)
        draw_bars(self.ax, "failed", given_up)
        arrived_s = self.calls["arrived_s"].dropna()
        marked_s = arrived_s
        if len(arrived_s) > _MOST_MARKS and self.until_s > 0:
            slots = (arrived_s / self.until_s * _MOST_MARKS).astype(int)
            marked_s = arrived_s[~slots.duplicated()]
        draw_marks(self.ax, "block", ((at_s, self.first_row) for at_s in marked_s))
        return [f"{len(arrived_s):,} blocks, those close together as one mark"] * (len(marked_s) < len(arrived_s))

    def by_call(self) -> tuple[list[str], tuple[str, ...]]:
        """Draw a row for each call."""
        shown = self.calls.head(MOST_ROWS)
        rows = pd.Series(range(self.first_row + 1, self.first_row + 1 + len(shown)), dtype="float64")
        self._waits(shown, rows)
        self._work(shown, rows)
        draw_marks(self.ax, "emitted", _known(shown["emitted_s"], rows))
        self._broken(dict(zip(shown["call"], rows, strict=True)))
        more = len(self.calls) - len(shown)
        return [_label(call) for call in shown.itertuples()], (f"left out: {more} more calls",) * bool(more)

    def by_lane(self) -> tuple[list[str], tuple[str, ...]]:
        """Draw a row for each lane of what executes."""
        start_s = _first(self.calls, "admitted_s", "started_s")
        executed = self.calls[start_s.notna()]
        in_its_body = executed["started_s"].notna() & executed["ended_s"].isna()
        end_s = executed[["settled_s", "ended_s"]].max(axis=1).mask(in_its_body, self.until_s).fillna(self.until_s)
        chosen = lanes([(round(a * 1e9), round(b * 1e9)) for a, b in zip(start_s.dropna(), end_s, strict=True)])
        rows = pd.Series(chosen, index=executed.index, dtype="float64") + self.first_row + 1
        fits = rows <= self.first_row + MOST_ROWS
        shown, rows = executed[fits], rows[fits]
        self._work(shown, rows)
        self._broken(dict(zip(shown["call"], rows, strict=True)))
        count = min(max(chosen, default=-1) + 1, MOST_ROWS)
        notes = [f"{len(shown):,} of {len(self.calls):,} calls, in lanes; their waits are not drawn"]
        if beyond := len(executed) - len(shown):
            notes.append(f"left out: {beyond:,} calls in lanes beyond the first {MOST_ROWS}")
        if never := len(self.calls) - len(executed):
            notes.append(f"left out: {never:,} calls that are not known to have executed")
        return [f"lane {lane}" for lane in range(count)], tuple(notes)

    def user(self) -> None:
        """Draw what the user did, across the turn's rows."""
        for _, at_s, act in _acts(self.calls):
            self.ax.axvline(at_s, color="black", linestyle=(0, (4, 2)), linewidth=1, gid="act", zorder=1)
            self.ax.annotate(
                str(act), (at_s, self.first_row - 0.45), xytext=(3, 0), textcoords="offset points", va="top",
                fontsize=8,
            )  # fmt: skip

    def _waits(self, calls: pd.DataFrame, rows: pd.Series) -> None:
        admitted_s = _first(calls, "admitted_s", "started_s", "settled_s", "emitted_s")
        draw_bars(self.ax, "queued", _spans(calls["arrived_s"], admitted_s, rows))
        draw_bars(self.ax, "held", _spans(_first(calls, "settled_s", "ended_s"), calls["emitted_s"], rows))

    def _work(self, calls: pd.DataFrame, rows: pd.Series) -> None:
        body = calls["started_s"].notna()
        unknown = body & calls["ended_s"].isna()
        ends_s = calls["ended_s"].mask(unknown, self.until_s)
        fails = calls["outcome"].ne("ok").fillna(False) & body
        for kind, which in (("runs", body & ~fails), ("fails", fails)):
            draw_bars(self.ax, kind, _spans(calls["started_s"][which], ends_s[which], rows, always=True))
        hooks = [
            *_spans(calls["pre_hooks_started_s"], calls["pre_hooks_ended_s"], rows),
            *_spans(calls["post_hooks_started_s"], calls["post_hooks_ended_s"], rows),
        ]
        draw_bars(self.ax, "hooks", hooks)
        draw_bars(self.ax, "question", _spans(calls["question_asked_s"], calls["question_answered_s"], rows))
        draw_bars(self.ax, "background", _spans(calls["ended_s"], calls["background_until_s"], rows))
        draw_marks(self.ax, "open", _known(ends_s[unknown], rows))

    def _broken(self, row_of: dict[str, float]) -> None:
        """Mark broken rules where the first call that they name is drawn, or at the response."""
        found: dict[tuple[float, float], list[str]] = {}
        for _, rule, at_s, ids, _ in self.calls.attrs.get("violations", ()):
            row = next((row_of[call] for call in ids if call in row_of), float(self.first_row))
            found.setdefault((at_s, row), []).append(rule)
        for point, rules in found.items():
            self.ax.annotate(
                " ".join(rules), point, xytext=(7, 5), textcoords="offset points", fontsize=8, weight="bold", zorder=4,
                bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
            )  # fmt: skip
        draw_marks(self.ax, "broken", found)


def _label(call: Any) -> str:
    alone = pd.notna(call.concurrency_safe) and not call.concurrency_safe
    return f"{name(call.call, _LONGEST)} {name(call.tool, _LONGEST)}{' (alone)' if alone else ''}"


def _first(calls: pd.DataFrame, *columns: str) -> pd.Series:
    """Give the first of some columns that is known, for each row."""
    found = calls[columns[0]]
    for column in columns[1:]:
        found = found.fillna(calls[column])
    return found


def _spans(start_s: pd.Series, end_s: pd.Series, rows: pd.Series, *, always: bool = False) -> list[Span]:
    """Give the stretches whose ends are known; of no length only where that is asked for."""
    return [
        (rows[index], start, end)
        for index, start, end in zip(start_s.index, start_s, end_s, strict=True)
        if start < end or (always and start == end)
    ]


def _known(at_s: pd.Series, rows: pd.Series) -> list[tuple[float, float]]:
    known = at_s.dropna()
    return list(zip(known, rows[known.index], strict=True))
