"""One turn in terminal cells: what each cell stands for, without characters and colours.

The rule: what the log does not tell is drawn as not told, and what is short is still one cell. Times in nanoseconds
from the turn's start, positions in cells.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sim.analysis.course import CallCourse, TurnCourse

from .amounts import precise, step


@dataclass(frozen=True, slots=True)
class Chart:
    """Cells over a turn's time: from 0 to the last event, and one cell more for a mark pushed aside.

    Args:
        cells: how many.
        span_ns: the last event's instant.
    """

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

    def stream(self, turn: TurnCourse) -> list[str]:
        """Draw the responses: a line from each one's first mark to its last, a tick a block."""
        cells, since = [" "] * self.cells, None
        for t_ns, mark in _stream_marks(turn):
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

    def call(self, call: CallCourse, *, bodies_told: bool) -> list[str]:
        """Draw one call: its waits, hooks and question, its run of at least one cell, its wait for emission, its mark.

        Args:
            call: the call.
            bodies_told: whether the log tells when bodies ran: then one without a start did not.
        """
        cells, over = [" "] * self.cells, self.cells - 1
        until = over if call.emitted_ns is None else self.column(call.emitted_ns)
        start = None if call.started_ns is None else self.column(call.started_ns)
        over_ns = call.settled_ns if call.ended_ns is None and call.started_ns is None else call.ended_ns
        gone = None if over_ns is None else max(self.column(over_ns), -1 if start is None else start + 1)

        def fill(since: int | None, stop: int, glyph: str) -> None:
            for column in range(stop if since is None else since, stop):
                cells[column] = glyph

        def lay(since_ns: int, until_ns: int | None, glyph: str) -> None:
            since, stop = self.column(since_ns), over if until_ns is None else self.column(until_ns)
            fill(since, max(stop, since + (until_ns != since_ns)), glyph)

        never_ran = call.outcome not in (None, "ok") and not call.started
        waits = "queued" if bodies_told or never_ran or not call.runnable else "untold"
        arrived = None if call.arrived_ns is None else self.column(call.arrived_ns)
        fill(arrived, next(column for column in (start, gone, until) if column is not None), waits)
        if gone is not None and call.background_until_ns is not None:
            fill(gone, self.column(call.background_until_ns), "later")
        if gone is not None and call.taken_back != "discarded":
            fill(gone, until, "held")
        for hook in call.hooks:
            lay(hook.started_ns, hook.ended_ns, "hook")
        if call.question_asked_ns is not None:
            lay(call.question_asked_ns, call.question_answered_ns, "asks")
        if start is not None:
            self._run(cells, call, start, over if gone is None else gone)
        if call.emitted_ns is not None:
            early = gone is None or over_ns is None or call.emitted_ns < over_ns
            cells[until if early else max(gone or 0, until)] = "emitted"
        return cells

    def _run(self, cells: list[str], call: CallCourse, start: int, gone: int) -> None:
        cells[start:gone] = ["runs" if call.outcome in (None, "ok") else "fails"] * (gone - start)
        for t_ns in call.progress_ns:
            cells[min(max(self.column(t_ns), start), gone - 1)] = "progress"
        if call.ended_ns is None:
            cells[gone - 1] = "on"


def _stream_marks(turn: TurnCourse) -> Iterator[tuple[int, str]]:
    """Give the marks of each attempt at the response, by attempt and time."""
    attempts = {response.attempt: response for response in turn.responses}
    for attempt in sorted({*attempts, *(call.attempt for call in turn.calls)}):
        response = attempts.get(attempt)
        if response is not None and response.started_ns is not None:
            yield response.started_ns, "begin"
        arrived = (call.arrived_ns for call in turn.calls if call.attempt == attempt)
        yield from ((t_ns, "block") for t_ns in sorted(t_ns for t_ns in arrived if t_ns is not None))
        if response is not None and response.ended_ns is not None:
            yield response.ended_ns, "failure" if response.failed else "end"
