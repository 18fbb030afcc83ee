"""What turns would have cost under other engines and options: one turn, or the sessions of whole folders on all cores.

The rule: the same turns give the same comparison, whatever the number of jobs; sums are taken over the turns that could
be compared under everything asked, it is said why others could not, and which rules were broken. Times in nanoseconds.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from scenarios import Scenario
from scenarios.expect import ENGINES
from scenarios.traces.model import RecordedTurn
from scenarios.traces.profiles import Profile
from scenarios.words import hint
from sim.explore.plan import engine_named
from sim.world import AnyExecutor

from .columns import TurnRow
from .comparing import CallId, ComparedFile, Question
from .policy import Policy
from .sampling import Interval, mean_interval
from .tasks import Source, Task, results, tasks

if TYPE_CHECKING:
    from pandas import DataFrame

COPIED: Final = "it repeats calls of an earlier file"


class Total(NamedTuple):
    """The sums over all compared turns under one policy and engine, in nanoseconds.

    ``mean_saving_ns`` is what a turn saves on average against the first policy's batch engine, or the last engine asked
    for; ``broken`` says in how many turns which rules are broken, the most first.
    """

    policy: str
    engine: str
    turns: int
    makespan_ns: int
    lower_bound_ns: int
    saving_ns: int
    mean_saving_ns: Interval | None
    faster: int
    slower: int
    broken: Mapping[str, int]


@dataclass(slots=True)
class Comparison:
    """What came of a comparison.

    Args:
        turns: the rows of each compared turn, by policy and engine, in the order in which the turns were given.
        left_out: why other turns are not among them, and how often.
        files: how many files were read.
        damaged: the files with damage inside, and how much; the rest of them is compared.
        unreadable: the files that could not be read, and why.
        interrupted: it was ended by hand, and tells of what was done until then.
    """

    turns: list[tuple[TurnRow, ...]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    files: int = 0
    damaged: dict[str, int] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def rows(self) -> Iterator[TurnRow]:
        """All rows."""
        return (row for turn in self.turns for row in turn)

    def totals(self) -> list[Total]:
        """Give the sums by policy and engine, in the order asked for."""
        if not self.turns:
            return []
        against = self.against
        return [_total([(turn[n], turn[against]) for turn in self.turns]) for n in range(len(self.turns[0]))]

    @property
    def against(self) -> int:
        """The place, among a turn's rows, of the one that savings are measured against."""
        engines = [row.engine for row in self.turns[0] if row.policy == self.turns[0][0].policy]
        return engines.index("batch") if "batch" in engines else len(engines) - 1

    def frame(self) -> "DataFrame":
        """Give a pandas frame with a row for each turn, policy and engine, as :func:`sim.analysis.frames.turns_frame`.

        Raises:
            ImportError: pandas is missing, with the way out.
        """
        from .frames import frame_of_turns

        files = {"files that cannot be read": len(self.unreadable)} if self.unreadable else {}
        return frame_of_turns(self.rows, {f"turns: {why}": n for why, n in self.left_out.items()} | files)


def compare(
    turns: Source | Iterable[Source],
    engines: Sequence[str | AnyExecutor] = ENGINES,
    policies: Sequence[Policy | Mapping[str, Any]] = (Policy(),),
    *,
    profile: Profile | None = None,
    jobs: int | None = 1,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Comparison:
    """Compare turns by what they would cost under each engine and policy.

    Args:
        turns: scenarios, recorded turns, files and folders, or one of these.
        engines: by name, ``MODULE:FUNCTION``, or executors of your own.
        policies: the options to try, each a :class:`Policy` or its words; as the turns have them without.
        profile: how the program that wrote the recordings ran their calls; chosen for each recording without it.
        jobs: how many processes; as many as there are cores for ``None``. A script that asks for more than one must
            be importable, as for all of :mod:`multiprocessing`.
        seed: chooses what scenarios leave open.
        on_progress: told how many of how many tasks, a file or some turns each, are done.

    Raises:
        ValueError: an engine or a policy that does not exist.

    >>> from scenarios import Call
    >>> reads = Scenario(calls=[Call(id="a", at="1s", takes="1s"), Call(id="b", at="2s", takes="1s")])
    >>> for total in compare(reads, policies=[{}, {"limit": 1}]).totals():
    ...     print(total.policy, total.engine, total.makespan_ns // 10**9)
    as given streaming 3
    as given batch 3
    as given serial 4
    limit 1 streaming 3
    limit 1 batch 4
    limit 1 serial 4
    """
    for engine in engines:
        if isinstance(engine, str):
            engine_named(engine)
    question = Question(tuple(engines), tuple(_policy(one) for one in policies), seed, profile)
    to_do = list(tasks([turns] if isinstance(turns, Scenario | RecordedTurn | str | Path) else turns))
    done = Comparison()
    seen: set[CallId] = set()
    try:
        for task, result in zip(to_do, results(to_do, question, jobs, on_progress), strict=True):
            _take_in(done, task, result, seen)
    except KeyboardInterrupt:
        done.interrupted = True
    return done


def _take_in(done: Comparison, task: Task, result: ComparedFile, seen: set[CallId]) -> None:
    """Count a task in; ``seen`` are the calls of the files before it, by which copies are known (B094)."""
    if isinstance(task, Path):
        done.files += not result.unreadable
        if result.unreadable:
            done.unreadable[str(task)] = result.unreadable
        if result.damage:
            done.damaged[str(task)] = result.damage
    for turn in result.turns:
        reason = COPIED if turn.calls & seen else turn.left_out
        if reason:
            done.left_out[reason] += 1
        else:
            done.turns.append(turn.rows)
    for turn in result.turns:
        seen |= turn.calls


def _policy(one: Policy | Mapping[str, Any]) -> Policy:
    if isinstance(one, Policy):
        return one
    known = [each.name for each in fields(Policy)]
    for name in one:
        if name not in known:
            raise ValueError(f"policy: expected options among {', '.join(known)}, got {name!r}{hint(name, known)}")
    return Policy(**one)


def _total(pairs: Sequence[tuple[TurnRow, TurnRow]]) -> Total:
    """Sum one column of rows up, each beside the row it is held against."""
    spans = [(_makespan_ns(row), _makespan_ns(other)) for row, other in pairs]
    savings = [other_ns - span_ns for span_ns, other_ns in spans]
    return Total(
        policy=pairs[0][0].policy,
        engine=pairs[0][0].engine,
        turns=len(pairs),
        makespan_ns=sum(span_ns for span_ns, _ in spans),
        lower_bound_ns=sum(row.numbers.lower_bound_ns or 0 for row, _ in pairs),
        saving_ns=sum(savings),
        mean_saving_ns=mean_interval(savings),
        faster=sum(saving > 0 for saving in savings),
        slower=sum(saving < 0 for saving in savings),
        broken=dict(Counter(rule for row, _ in pairs for rule in row.numbers.broken).most_common()),
    )


def _makespan_ns(row: TurnRow) -> int:
    assert row.numbers.makespan_ns is not None, "only turns whose every makespan is known are kept"
    return row.numbers.makespan_ns
