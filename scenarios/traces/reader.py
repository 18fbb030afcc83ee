"""Import a recording: a file's path in, its recorded turns out, one by one.

The rule: file order decides what belongs together, times only say how long (B100). A turn is handed out as soon as
nothing more can belong to it, so memory is bounded by the largest turn (with the sub-agents inside it), besides two
hashes of each call, by which copies are known: some 50 bytes. Times in nanoseconds.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from .choosing import Choice
from .containers import records
from .declaring import Format
from .findings import Counts, Findings
from .fingerprints import Fingerprints, Seen
from .lines import BUFFER_BYTES
from .model import Damage, RecordedTurn, StrayResult, TraceError
from .profiles import Profile
from .sniff import sniff
from .timing import finish

OnProgress = Callable[[int, int], None]
"""Takes bytes read and bytes in all."""


class TraceReader:
    """Iterate once over a recording's turns, in file order; what else was found can be read meanwhile and afterwards.

    A turn here is a response that called tools; the others are only counted.
    """

    def __init__(
        self,
        path: str | Path,
        source: Format,
        *,
        seen: Seen | None = None,
        on_progress: OnProgress | None = None,
        profile: Profile | None = None,
    ) -> None:
        self.path = Path(path)
        self.format = source.name
        self._findings = Findings()
        self._collector = source.collector(self._findings, seen)
        self._on_progress = on_progress
        self._choice = None if profile is None else Choice(profile, "it was asked for", sure=True)
        self._used = False

    @property
    def own_ids(self) -> bool:
        """Whether its ids are unlike those of any other file, so that a call of the same ids is a copy (B094)."""
        return self._collector.habits.own_ids

    @property
    def damage(self) -> list[Damage]:
        """Everything found wrong or contradictory so far, in the order it was found."""
        return self._findings.damage

    @property
    def counts(self) -> Counts:
        """How much of everything was met so far."""
        return self._findings.counts

    @property
    def strays(self) -> list[StrayResult]:
        """Every result so far that has no call (P2)."""
        return self._findings.strays

    @property
    def versions(self) -> list[str]:
        """The versions of the program that wrote the lines, in the order they appear."""
        return self._findings.versions

    @property
    def layout(self) -> str:
        """``lines``, or what else the file's records come in: ``pretty``, ``loglines``, ``sse``, ``cassette``."""
        return self._findings.layout

    @property
    def skipped(self) -> dict[str, int]:
        """What was passed over without being damage, and how often."""
        return self._findings.skipped()

    def __iter__(self) -> Iterator[RecordedTurn]:
        if self._used:
            raise RuntimeError(f"{self.path}: a reader gives its turns once; call read_trace() again")
        self._used = True
        return self._turns()

    def _turns(self) -> Iterator[RecordedTurn]:
        collector, findings = self._collector, self._findings
        queue = collector.queue
        try:
            with self.path.open("rb", buffering=BUFFER_BYTES) as stream:
                for record in records(stream, findings, self._forward()):
                    findings.begin(record.line, record.offset)
                    collector.take(record)
                    while queue and queue[0].closed:
                        yield from self._hand_out()
        except OSError as error:
            raise TraceError(f"{self.path}: reading broke off ({error.strerror}); the turns so far are good") from None
        collector.end()
        while queue:
            yield from self._hand_out()

    def _forward(self) -> Callable[[int], None] | None:
        on_progress = self._on_progress
        if on_progress is None:
            return None
        size = self.path.stat().st_size
        return lambda done: on_progress(done, size)

    def _hand_out(self) -> Iterator[RecordedTurn]:
        """Give the oldest closed response, without the calls that an earlier file has already."""
        turn, counts = self._collector.queue.popleft(), self._findings.counts
        counts.responses += 1
        if turn.copied:
            turn.calls = {call_id: call for call_id, call in turn.calls.items() if not call.copy}
            turn.emitted = [call_id for call_id in turn.emitted if call_id in turn.calls]
        if turn.calls:
            counts.turns += 1
            counts.calls += len(turn.calls)
            yield finish(turn, counts.turns, self._findings.report, self._choice)


def read_trace(
    path: str | Path,
    *,
    seen: Seen | None = None,
    on_progress: OnProgress | None = None,
    profile: Profile | None = None,
) -> TraceReader:
    """Open a recording, whichever known source wrote it; iterate over the reader for its turns.

    Args:
        path: the recording; damage inside it never raises.
        seen: a ``set()`` that readers share, empty at first: calls that one has read are left out by the next (B094).
        on_progress: takes bytes read and bytes in all, about once a megabyte.
        profile: how the calls were run, where that is not to be told by the file.

    Raises:
        TraceError: the file as a whole is no recording of a known format.
    """
    return TraceReader(path, sniff(path), seen=seen, on_progress=on_progress, profile=profile)


def read_traces(paths: Iterable[str | Path], *, on_progress: OnProgress | None = None) -> Iterator[TraceReader]:
    """Open recordings one after another, leaving out the calls a resumed session copied from an earlier file (B094).

    Use up each reader before taking the next. A file that is no recording raises :class:`TraceError` in its place; the
    iterator goes on with the file after it.
    """
    # A generator would be over after its first error; map() is not.
    return map(partial(read_trace, seen=Fingerprints(), on_progress=on_progress), paths)
