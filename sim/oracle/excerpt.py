"""The few rows of a log that show a violation.

The rule: the rows of the calls concerned and the row that gave it away, in the order of the log, never more than a
screen. Times in nanoseconds from the turn's start.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from executor.events import Event, Kind

from .instants import in_words
from .view import CallView

LONGEST: Final = 30
"""How many rows an excerpt has at most; of more, the last are shown."""


def excerpt(calls: Sequence[CallView], also: Iterable[tuple[int, Event]], at_ns: int) -> str:
    """Draw the rows of some calls, one a line; ``>`` marks those of the instant ``at_ns``.

    Args:
        calls: the calls concerned, with the numbered rows that the log has told about each.
        also: further numbered rows; left out where they are among theirs.
        at_ns: the instant of the violation.
    """
    rows = dict(row for call in calls for row in call.rows)
    rows.update(also)
    forgotten = sum(call.forgotten for call in calls)
    return draw_rows([rows[number] for number in sorted(rows)], at_ns, forgotten=forgotten)


def draw_rows(rows: Sequence[Event], at_ns: int, *, forgotten: int = 0) -> str:
    """Draw rows of a log, in their order, one a line.

    Args:
        rows: the rows.
        at_ns: the instant whose rows are marked with ``>``.
        forgotten: how many earlier rows are no more known.
    """
    shown = rows[-LONGEST:]
    times = [in_words(event.t_ns) for event in shown]
    ids = [event.call or "" for event in shown]
    wide, long = max(map(len, times), default=0), max(map(len, ids), default=0)
    lines = [
        f"{'>' if event.t_ns == at_ns else ' '} {time:>{wide}}  {id_:<{long}}  {_told(event)}"
        for event, time, id_ in zip(shown, times, ids, strict=True)
    ]
    if hidden := len(rows) - len(shown) + forgotten:
        lines.insert(0, f"  ({hidden} earlier rows)")
    return "\n".join(lines)


def _told(event: Event) -> str:
    told = event.detail
    if event.kind is Kind.BLOCK:
        flaws = [flaw for key, flaw in (("known", "unknown"), ("valid", "invalid")) if not told.get(key, True)]
        classes = [("safe" if told["safe"] else "exclusive")] if "safe" in told else []
        return " ".join(["block", str(told.get("tool", "?")), *(flaws or classes)])
    words = (told[key] for key in ("what", "outcome", "reason", "ended", "how", "why", "error") if key in told)
    return " ".join([event.kind.value, *map(str, words)])
