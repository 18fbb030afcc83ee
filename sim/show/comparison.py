"""A comparison for a terminal: a row for each policy and engine, and what the time is made of where most is to gain.

The rule: times that rest on a recording are estimates and shown as such (B121); a number is never cut. Times come in
nanoseconds.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sim.analysis.columns import TurnRow
from sim.analysis.compare import Comparison, Total
from sim.analysis.critical import Step

from .amounts import about, counted, precise
from .visible import visible

_TURNS_SHOWN: Final = 3
_FILES_SHOWN: Final = 10
_STEPS_SHOWN: Final = 6
_ID_CELLS: Final = 12
_TABLE_FROM: Final = 100
"""From how many cells on there is a table; in fewer each row is told in lines."""


def table(done: Comparison, *, width: int) -> RenderableType:
    """Tell the sums, and of the turns with the most to gain what their time is made of.

    Args:
        done: the comparison.
        width: cells in a line.
    """
    amount = about if any(row.numbers.estimated for row in done.rows) else precise
    told = (*_left_out(done), *_broken(done), *_totals(done, amount, width), *_paths(done, amount))
    return Group(Text(_scope(done, amount)), *told)


def _scope(done: Comparison, amount: Callable[[int], str]) -> str:
    of = f" of {counted(done.files, 'file')}" if done.files else ""
    recorded = [rows[0].recorded_ns for rows in done.turns]
    known = [span_ns for span_ns in recorded if span_ns is not None]
    took = f", {amount(sum(known))} as recorded" if known and len(known) == len(recorded) else ""
    cut_short = ", interrupted" if done.interrupted else ""
    return f"{counted(len(done.turns), 'turn')}{of} compared{took}{cut_short}"


def _left_out(done: Comparison) -> Iterator[Text]:
    for why, times in done.left_out.most_common():
        yield Text(f"  left out: {times} because {visible(why)}")
    for number, (file, damages) in enumerate(done.damaged.items()):
        if number == _FILES_SHOWN:
            yield Text(f"  … and {counted(len(done.damaged) - number, 'more damaged file')} (--json lists all)")
            break
        yield Text(f"  {visible(file)}: {counted(damages, 'damage')}, the rest is compared", style="yellow")


def _broken(done: Comparison) -> Iterator[Text]:
    """Say whose runs break rules: a time that was won by that is no saving."""
    for total in done.totals():
        if total.broken:
            rules = ", ".join(f"{rule} in {counted(turns, 'turn')}" for rule, turns in total.broken.items())
            yield Text(f"  {total.policy}, {visible(total.engine)} breaks {rules}", style="red")


def _totals(done: Comparison, amount: Callable[[int], str], width: int) -> Iterator[RenderableType]:
    totals = done.totals()
    if not totals:
        return
    base = totals[done.against]
    rows = [(total, _cells(total, amount, is_base=total is base)) for total in totals]
    caption = f"saved: against {base.engine}, {base.policy} · least: what no engine can beat that keeps the order"
    if len(done.turns) > 1:
        caption += " · a turn: mean with 95 % interval"
    if width < _TABLE_FROM:
        for total, cells in rows:
            yield Text(f"{total.policy} · {total.engine}", style="bold")
            yield Text("  " + " · ".join(f"{name} {cell}" for name, cell in cells.items()))
        yield Text(caption)
        return
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1), caption=caption, caption_justify="left")
    shown.add_column("policy")
    shown.add_column("engine")
    for name in rows[0][1]:
        shown.add_column(name, justify="right", no_wrap=True)
    last = None
    for total, cells in rows:
        if last not in (None, total.policy):
            shown.add_section()
        shown.add_row("" if total.policy == last else total.policy, visible(total.engine), *cells.values())
        last = total.policy
    yield shown


def _cells(total: Total, amount: Callable[[int], str], *, is_base: bool) -> dict[str, str]:
    cells = {
        "time": amount(total.makespan_ns),
        "saved": _signed(total.saving_ns, amount),
        "share": _percent(total.saving_ns, total.makespan_ns + total.saving_ns),
    }
    if total.turns > 1 and total.mean_saving_ns is not None:
        low, mean, high = (_signed(round(bound_ns), amount) for bound_ns in total.mean_saving_ns)
        cells |= {"a turn": f"{mean} ({low} … {high})", "faster": str(total.faster), "slower": str(total.slower)}
    if is_base:
        cells = dict.fromkeys(cells, "-") | {"time": cells["time"]}
    return cells | {"least": amount(total.lower_bound_ns)}


def _percent(part_ns: int, whole_ns: int) -> str:
    return f"{float(f'{100 * part_ns / whole_ns:.2g}'):g} %" if whole_ns else "-"


def _signed(amount_ns: int, amount: Callable[[int], str]) -> str:
    return f"-{amount(-amount_ns)}" if amount_ns < 0 else amount(amount_ns)


def _paths(done: Comparison, amount: Callable[[int], str]) -> Iterator[Text]:
    """Tell of the turns with the most to gain which calls their time is made of (B123)."""
    widest = sorted(done.turns, key=_spread_ns, reverse=True)
    for rows in widest[:_TURNS_SHOWN]:
        line = "" if rows[0].line is None else f", line {rows[0].line}"
        yield Text(f"{visible(rows[0].source)}: turn {rows[0].turn}{line}", style="bold")
        for row in rows:
            if row.policy != rows[0].policy and row.numbers.critical == rows[_like(rows, row)].numbers.critical:
                continue
            span = amount(row.numbers.makespan_ns or 0)
            yield Text(f"  {row.policy}, {visible(row.engine)}, {span}: {path(row.numbers.critical, amount)}")
    if len(widest) > _TURNS_SHOWN:
        yield Text(f"… and {counted(len(widest) - _TURNS_SHOWN, 'more turn')} (--json tells of all)")


def _spread_ns(rows: Sequence[TurnRow]) -> int:
    spans = [row.numbers.makespan_ns or 0 for row in rows]
    return max(spans) - min(spans)


def _like(rows: Sequence[TurnRow], row: TurnRow) -> int:
    """Give the place of the row of the same engine under the first policy."""
    return next(n for n, other in enumerate(rows) if other.engine == row.engine)


def path(steps: Sequence[Step], amount: Callable[[int], str] = precise) -> str:
    """Write a critical path on one line; of a long one the first and the last steps.

    Args:
        steps: in order.
        amount: writes a time.

    >>> path([Step(None, "streams", 0, 2 * 10**9), Step("b", "permission", 2 * 10**9, 3 * 10**9, "Bash")])
    'response 2 s → Bash b (permission) 1 s'
    """
    told = [f"{_who(step)} {amount(step.until_ns - step.since_ns)}" for step in steps]
    if len(told) > _STEPS_SHOWN:
        half = _STEPS_SHOWN // 2
        told[half:-half] = [f"… {len(told) - 2 * half} more …"]
    return " → ".join(told) or "no time passes"


def _who(step: Step) -> str:
    name = str(step) if step.call is None else f"{step.tool} {_short(step.call)}"
    doing = f" ({step.doing})" if step.call is not None and step.doing != "runs" else ""
    return visible(name) + doing


def _short(id_: str) -> str:
    """Cut an id that no person would read; ids are told apart by their ends."""
    return id_ if len(id_) <= _ID_CELLS else f"…{id_[1 - _ID_CELLS :]}"
