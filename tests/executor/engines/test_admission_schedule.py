"""Who may start: the two schedules, without a loop (E3, E4, Q1)."""

import itertools
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor import partition
from executor.engines.batch import BatchSchedule
from executor.engines.schedule import Schedule


@dataclass(frozen=True)
class Stub:
    name: str
    safe: bool


def stubs(text: str) -> list[Stub]:
    """``s`` is a safe call, ``x`` an exclusive one; each is named by its kind and its place."""
    return [Stub(f"{letter}{place}", letter == "s") for place, letter in enumerate(text)]


def admitted(schedule: Schedule[Stub]) -> list[Stub]:
    """Admit until the head has to wait."""
    calls = []
    while (call := schedule.admit_next()) is not None:
        calls.append(call)
    return calls


def full(schedule: Schedule[Stub], calls: str | list[Stub]) -> Schedule[Stub]:
    for call in stubs(calls) if isinstance(calls, str) else calls:
        schedule.arrive(call)
    schedule.response_complete()
    return schedule


def names(calls: list[Stub]) -> str:
    return " ".join(call.name for call in calls)


@pytest.mark.parametrize(
    ("text", "limit", "first"),
    [
        ("", 10, ""),
        ("s", 10, "s0"),
        ("x", 10, "x0"),
        ("sss", 10, "s0 s1 s2"),
        ("sss", 2, "s0 s1"),
        ("sss", 1, "s0"),
        ("x", 1, "x0"),
        ("sssssssssssss", None, "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12"),
        ("ssxs", 10, "s0 s1"),
        ("xs", 10, "x0"),
        ("xx", 10, "x0"),
    ],
)
def test_the_first_pass_admits_neighbouring_safe_calls_up_to_the_limit_or_one_exclusive(
    text: str, limit: int | None, first: str
) -> None:
    """E3."""
    assert names(admitted(full(Schedule(limit), text))) == first


def test_a_safe_call_waits_behind_an_exclusive_one_that_waits() -> None:
    """E4: none overtakes, though the safe one could run beside what runs."""
    schedule = full(Schedule[Stub](None), "sxs")
    [running] = admitted(schedule)
    assert admitted(schedule) == []
    schedule.settle(running)
    assert names(admitted(schedule)) == "x1"


def test_an_exclusive_call_keeps_everybody_out_until_it_settles() -> None:
    """E3."""
    schedule = full(Schedule[Stub](None), "xss")
    [exclusive] = admitted(schedule)
    assert list(schedule.exclusive) == [exclusive]
    assert admitted(schedule) == []
    schedule.settle(exclusive)
    assert not schedule.exclusive
    assert names(admitted(schedule)) == "s1 s2"


def test_each_settlement_makes_room_for_one_more_under_the_limit() -> None:
    """E3, E5."""
    schedule = full(Schedule[Stub](2), "sssss")
    first, second = admitted(schedule)
    schedule.settle(second)
    assert names(admitted(schedule)) == "s2"
    schedule.settle(first)
    assert names(admitted(schedule)) == "s3"


def test_giving_up_empties_the_queue_in_arrival_order_and_leaves_what_runs() -> None:
    """A2, A7: nothing queued starts any more."""
    schedule = full(Schedule[Stub](1), "sxs")
    [running] = admitted(schedule)
    assert names(schedule.give_up()) == "x1 s2"
    schedule.settle(running)
    assert admitted(schedule) == []
    assert schedule.give_up() == []


def test_the_batch_engine_gives_up_what_waits_in_this_batch_later_ones_and_the_unfinished_response() -> None:
    """A7."""
    complete = full(BatchSchedule[Stub](1), "ssxs")
    assert names(admitted(complete)) == "s0"
    assert names(complete.give_up()) == "s1 x2 s3"
    assert complete.give_up() == []
    arriving = BatchSchedule[Stub](None)
    for call in stubs("sx"):
        arriving.arrive(call)
    assert admitted(arriving) == []
    assert names(arriving.give_up()) == "s0 x1"
    arriving.response_complete()
    assert admitted(arriving) == []


@pytest.mark.parametrize(
    ("text", "batches"),
    [
        ("", []),
        ("s", ["s0"]),
        ("x", ["x0"]),
        ("sssxs", ["s0 s1 s2", "x3", "s4"]),  # Read Read Grep Edit Read
        ("sssxss", ["s0 s1 s2", "x3", "s4 s5"]),  # Read Read Grep Bash Read Read
        ("xx", ["x0", "x1"]),
        ("xsx", ["x0", "s1", "x2"]),
    ],
)
def test_neighbouring_safe_calls_share_a_batch_and_each_exclusive_call_is_one_alone(
    text: str, batches: list[str]
) -> None:
    """Q1."""
    assert [names(batch) for batch in partition(stubs(text))] == batches


@given(st.text("sx", max_size=40))
def test_a_partition_keeps_the_order_loses_nothing_and_is_as_coarse_as_it_may_be(text: str) -> None:
    """Q1: greedy and order-keeping."""
    calls = stubs(text)
    batches = partition(calls)
    assert [call for batch in batches for call in batch] == calls
    assert all(len(batch) == 1 or all(call.safe for call in batch) for batch in batches)
    assert not any(one[-1].safe and other[0].safe for one, other in itertools.pairwise(batches))


class Counting(deque):  # type: ignore[type-arg]
    """A queue that counts whatever is done to it."""

    def __init__(self, counts: Counter[str]) -> None:
        super().__init__()
        self.counts = counts

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        self.counts["looked at"] += 1
        return super().__getitem__(index)

    def __iter__(self):  # type: ignore[no-untyped-def]
        self.counts["walked"] += len(self)
        return super().__iter__()

    def popleft(self):  # type: ignore[no-untyped-def]
        self.counts["taken"] += 1
        return super().popleft()


@pytest.mark.parametrize("make", [Schedule, BatchSchedule])
@pytest.mark.parametrize("head", ["s", "x"])
def test_a_pass_costs_what_it_starts_however_many_calls_wait(make: Callable[[int], Schedule[Stub]], head: str) -> None:
    """E4: the head alone decides; the operations on the queue are counted, not their time."""
    counts: Counter[str] = Counter()
    schedule = make(3)
    schedule._queue = Counting(counts)
    full(schedule, head + "s" * 5_000)
    running = deque(admitted(schedule))
    counts.clear()
    for _ in range(100):
        schedule.settle(running.popleft())
        started = admitted(schedule)
        running.extend(started)
        assert counts["walked"] == 0
        assert counts["taken"] == len(started)
        assert counts["looked at"] <= len(started) + 1
        counts.clear()


class Asked:
    """A safe call that counts how often its class is asked for."""

    def __init__(self, counts: Counter[str]) -> None:
        self.counts = counts

    @property
    def safe(self) -> bool:
        self.counts["asked"] += 1
        return True


def test_a_turn_twice_as_long_asks_twice_as_often_for_a_call_s_class() -> None:
    """E4: not four times."""

    def questions(size: int) -> int:
        counts: Counter[str] = Counter()
        schedule = Schedule[Asked](4)
        for _ in range(size):
            schedule.arrive(Asked(counts))
        running: deque[Asked] = deque()
        settled = 0
        while settled < size:
            while (call := schedule.admit_next()) is not None:
                running.append(call)
            schedule.settle(running.popleft())
            settled += 1
        return counts["asked"]

    assert 0 < questions(1_000) <= 2 * questions(500) + 10


@given(
    text=st.text("sx", max_size=24),
    limit=st.none() | st.integers(1, 4),
    picks=st.lists(st.integers(0, 3), max_size=30),
)
def test_both_engines_admit_the_same_calls_at_the_same_steps_once_all_have_arrived(
    text: str, limit: int | None, picks: list[int]
) -> None:
    """Q5, E3: whatever order the calls end in."""
    calls = stubs(text)
    streaming, batch = full(Schedule[Stub](limit), calls), full(BatchSchedule[Stub](limit), calls)
    running: list[Stub] = []
    order = iter(picks)
    while True:
        started = admitted(streaming)
        assert admitted(batch) == started
        running += started
        assert len(running) <= (limit or len(text))
        assert len(running) < 2 or all(call.safe for call in running)
        if not running:
            break
        ended = running.pop(next(order, 0) % len(running))
        streaming.settle(ended)
        batch.settle(ended)
    assert streaming.is_idle
    assert batch.is_idle


@given(text=st.text("sx", max_size=24), limit=st.none() | st.integers(1, 4), picks=st.lists(st.integers(0, 3)))
def test_calls_are_admitted_in_arrival_order_each_once(text: str, limit: int | None, picks: list[int]) -> None:
    """E4, S7: even where they arrive between the endings."""
    schedule, arriving = Schedule[Stub](limit), deque(stubs(text))
    running: list[Stub] = []
    log: list[Stub] = []
    order = iter(picks)
    while arriving or running:
        if arriving and (not running or next(order, 1) % 2):
            schedule.arrive(arriving.popleft())
        else:
            schedule.settle(running.pop(next(order, 0) % len(running)))
        started = admitted(schedule)
        running += started
        log += started
    assert log == stubs(text)
