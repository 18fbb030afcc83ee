"""One turn drawn into rows: the response above, a row for each call, or a row for each lane where there are many.

The rule: rows count downwards from the one given, nothing in a row overlaps (B122), and what no row is left for is
counted. Times in seconds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import pandas as pd
from matplotlib.axes import Axes

from sim.analysis.course import UNKNOWN_END
from sim.analysis.frames import NAMELESS
from sim.analysis.lanes import lanes
from sim.show.amounts import counted

from .marks import Span, draw_bars, draw_marks
from .paper import left_out, name

By = Literal["call", "lane"]

MOST_ROWS: Final = 40
"""How many rows of calls or lanes a turn gets; and of more calls than this each lane has a row, not each call."""

_MOST_MARKS: Final = 150
"""How many blocks are marked on a response; of more than fit, the marks would be all that is seen of it."""

_LONGEST: Final = 20
"""How many characters of a call's id, and of its tool's name, stand beside its row: the time needs the room."""
_APART: Final = 0.12
"""How far apart the names of broken rules stand at least in a row, as a share of the turn."""
_LATE: Final = 0.85
"""From which share of the turn on a text stands to the left of its instant: to the right there is the legend."""
_BESIDE_MARKS: Final[Mapping[str, Any]] = {
    "weight": "bold",
    "zorder": 4,
    "bbox": {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6},
}
_TIMES: Final = ("response_ended_s", "arrived_s", "admitted_s", "started_s", "ended_s", "settled_s", "emitted_s",
                 "background_until_s", "post_hooks_ended_s", "question_answered_s")  # fmt: skip


@dataclass(frozen=True, slots=True)
class DrawnTurn:
    """What was drawn of a turn.

    Args:
        labels: The labels of its rows, from the first on.
        until_s: The last instant.
        notes: What is to be said under the figure.
    """

    labels: tuple[str, ...]
    until_s: float
    notes: tuple[str, ...]


def turns_of(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Divide a frame of calls by turn, in order; what the frame's ``attrs`` say of other turns is left behind.

    A turn without calls has no row; the ``attrs`` tell of it. It counts where none of the other turns was taken out.
    """
    with_calls = dict(iter(frame.groupby(["source", "turn", "engine"], sort=False, dropna=False)))
    told = {tuple(place): count for *place, count in frame.attrs.get("turns", ())}
    is_whole = all(place in with_calls for place, count in told.items() if count)
    for place in dict.fromkeys([*(told if is_whole else ()), *with_calls]):
        source, turn, engine = place
        part = with_calls.get(place, frame.iloc[:0]).copy()
        part.attrs = {
            key: [row for row in frame.attrs.get(key, ()) if row[0] == turn]
            for key in ("responses", "stops", "violations")
        }
        part.attrs |= {"source": str(source), "engine": str(engine)}
        yield part


def title(turns: Sequence[pd.DataFrame], *, engine: bool) -> str:
    """Name the turns of a figure: what they are of, by which engine, whether their times are estimates.

    Args:
        turns: as :func:`turns_of` gives them.
        engine: whether the engine is named.
    """
    first = turns[0]
    source = "" if first.attrs["source"] == NAMELESS else name(first.attrs["source"], 48)
    estimates = "estimates" if any(turn["estimated"].any() for turn in turns) else ""
    return " · ".join(part for part in (source, name(first.attrs["engine"]) if engine else "", estimates) if part)


def untold(frame: pd.DataFrame) -> list[str]:
    """Say what a frame of calls has left out and no turn's notes tell of.

    Args:
        frame: the calls.
    """
    return left_out({what: count for what, count in frame.attrs.get("left_out", {}).items() if what != UNKNOWN_END})


def draw_turn(ax: Axes, calls: pd.DataFrame, first_row: int = 0, by: By | None = None) -> DrawnTurn:
    """Draw a turn.

    Args:
        ax: the axes.
        calls: the calls of one turn, as :func:`turns_of` gives them.
        first_row: the row of the response.
        by: what gets a row, calls or lanes; by how many calls there are without it.
    """
    until_s = last_s(calls)
    table = _Table(ax, calls.reset_index(drop=True), first_row, until_s)
    merged = table.response()
    if by == "lane" or (by is None and len(calls) > MOST_ROWS):
        labels, notes = table.by_lane()
    else:
        labels, notes = table.by_call()
    table.user()
    return DrawnTurn(("response", *labels), until_s, (*notes, *merged))


def last_s(calls: pd.DataFrame) -> float:
    """Give the last instant that is drawn of a turn: of its calls, responses, the user, and what rules it breaks."""
    known = [
        float(calls[list(_TIMES)].max().max()),
        *(end_s for response in _responses(calls) for end_s in response[1:3]),
        *(at_s for _, at_s, _ in calls.attrs.get("stops", ())),
        *(at_s for _, _, at_s, *_ in calls.attrs.get("violations", ())),
    ]
    return max((at_s for at_s in known if at_s == at_s), default=0.0)


def over(calls: pd.DataFrame) -> float | None:
    """Give the second in which a turn was over: its last result taken, and its response's end; ``None``: not known.

    Args:
        calls: the calls of one turn, as :func:`turns_of` gives them.
    """
    ends_s = [end_s for _, _, end_s, _ in _responses(calls)]
    taken_s = calls["emitted_s"].dropna()
    if calls["taken_back"].isna().any() and not len(taken_s):
        return None
    return max((float(at_s) for at_s in (*taken_s, *ends_s) if at_s == at_s), default=None)


def _responses(calls: pd.DataFrame) -> list[tuple[int, float, float, bool]]:
    """Give the attempts at a turn's response: number, start and end, whether it was given up.

    Frames put together from others have lost what their ``attrs`` said; then as far as calls tell of them.
    """
    told = [row[1:] for row in calls.attrs.get("responses", ())]
    if told:
        return told
    attempts = calls.drop_duplicates("attempt")[["attempt", "response_started_s", "response_ended_s"]]
    last = attempts["attempt"].max()
    return [(*attempt, bool(attempt[0] != last)) for attempt in attempts.itertuples(index=False, name=None)]


@dataclass(frozen=True, slots=True)
class _Table:
    ax: Axes
    calls: pd.DataFrame
    first_row: int
    until_s: float

    def response(self) -> list[str]:
        """Draw each attempt at the response, and where blocks were complete; says how many marks stand for more."""
        for kind, which in (("response", False), ("failed", True)):
            spans = [
                (self.first_row, start_s, self.until_s if end_s != end_s else end_s)
                for _, start_s, end_s, given_up in _responses(self.calls)
                if start_s == start_s and given_up is which
            ]
            draw_bars(self.ax, kind, spans)
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
        beyond = [f"left out: {more:,} more {'call' if more == 1 else 'calls'}"] * bool(more)
        waiting = int(_still_wait(shown).sum())
        waits = [f"{counted(waiting, 'call')} not known to have executed, drawn to the last instant that is"]
        notes = (*beyond, *self._unknown(shown), *waits * bool(waiting))
        return [_label(call) for call in shown.itertuples()], notes

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
        calls = counted(len(self.calls), "call")
        notes = [f"{len(shown):,} of {calls}, in lanes; their waits and their results are not drawn"]
        if beyond := len(executed) - len(shown):
            notes.append(f"left out: {counted(beyond, 'call')} in lanes beyond the first {MOST_ROWS}")
        if never := len(self.calls) - len(executed):
            notes.append(f"left out: {counted(never, 'call')} not known to have executed")
        notes += self._unknown(shown)
        return [f"lane {lane}" for lane in range(count)], tuple(notes)

    def user(self) -> None:
        """Draw what the user did, across the turn's rows."""
        for _, at_s, act in self.calls.attrs.get("stops", ()):
            self.ax.axvline(at_s, color="black", linestyle=(0, (4, 2)), linewidth=1, gid="act", zorder=1)
            self._write(str(act), at_s, self.first_row - 0.45, (3, 0), va="top")

    def _waits(self, calls: pd.DataFrame, rows: pd.Series) -> None:
        still = _still_wait(calls)
        admitted_s = _first(calls, "admitted_s", "started_s", "settled_s", "emitted_s").mask(still, self.until_s)
        draw_bars(self.ax, "queued", _spans(calls["arrived_s"], admitted_s, rows))
        draw_marks(self.ax, "open", _known(admitted_s[still], rows))
        draw_bars(self.ax, "held", _spans(_first(calls, "settled_s", "ended_s"), calls["emitted_s"], rows))

    def _work(self, calls: pd.DataFrame, rows: pd.Series) -> None:
        body = calls["started_s"].notna()
        unknown = body & calls["ended_s"].isna()
        ends_s = calls["ended_s"].mask(unknown, self.until_s)
        ends_ok = calls["outcome"].eq("ok").fillna(False)
        untold = calls["outcome"].isna()
        for kind, which in (("runs", body & ends_ok), ("fails", body & ~ends_ok & ~untold), ("ends", body & untold)):
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
        points: dict[float, dict[float, list[str]]] = {}
        for _, rule, at_s, ids, _ in self.calls.attrs.get("violations", ()):
            row = next((row_of[call] for call in ids if call in row_of), float(self.first_row))
            points.setdefault(row, {}).setdefault(at_s, []).append(rule)
        for row, found in points.items():
            for at_s, rules in _apart(found, _APART * self.until_s).items():
                self._write(" ".join(dict.fromkeys(rules)), at_s, row, (7, 5), **_BESIDE_MARKS)
        draw_marks(self.ax, "broken", [(at_s, row) for row, found in points.items() for at_s in found])

    def _write(self, text: str, at_s: float, row: float, away: tuple[int, int], **look: Any) -> None:
        """Write beside an instant, on the side where the turn has room for it."""
        fits = at_s < _LATE * self.until_s
        right, up = away
        self.ax.annotate(
            text, (at_s, row), xytext=(right if fits else -right, up), textcoords="offset points",
            ha="left" if fits else "right", fontsize=8, **look,
        )  # fmt: skip

    def _unknown(self, shown: pd.DataFrame) -> list[str]:
        """Say of how many calls the end is not known: they are drawn to the turn's last instant."""
        count = int((shown["started_s"].notna() & shown["ended_s"].isna()).sum())
        return [f"{counted(count, 'call')} whose end is not known, drawn to the last instant that is"] * bool(count)


def _label(call: Any) -> str:
    alone = pd.notna(call.concurrency_safe) and not call.concurrency_safe
    said = ["alone"] * bool(alone) + [call.taken_back] * bool(pd.notna(call.taken_back))
    told = f" ({', '.join(said)})" if said else ""
    return f"{name(call.call, _LONGEST)} {name(call.tool, _LONGEST)}{told}"


def _still_wait(calls: pd.DataFrame) -> pd.Series:
    """Tell which calls have arrived and nothing more is known of them: the log breaks off, or the turn was halted."""
    later_s = _first(calls, "admitted_s", "started_s", "settled_s", "emitted_s")
    return calls["arrived_s"].notna() & later_s.isna() & calls["outcome"].isna()


def _apart(found: Mapping[float, list[str]], least_s: float) -> dict[float, list[str]]:
    """Put together what stands closer than is legible, at the first instant of it."""
    kept: dict[float, list[str]] = {}
    for at_s, rules in sorted(found.items()):
        first_s = next(reversed(kept), None)
        if first_s is not None and at_s - first_s < least_s:
            kept[first_s] += rules
        else:
            kept[at_s] = list(rules)
    return kept


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
