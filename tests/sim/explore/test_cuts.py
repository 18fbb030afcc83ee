"""Runs cut short: the consumer is cancelled wherever it waits, the user stops at every instant; and latencies moved."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor import StreamingToolExecutor
from executor.events import Kind
from scenarios import Call, Consumer, Scenario, ToolSpec, loads, strategies
from sim import OwnEngine, OwnStage, check, explore, from_object, simulate
from sim.clock import Waits, run
from sim.explore import Cut, Plan
from sim.explore.jitter import jittered
from sim.explore.searches import sweep, tried
from sim.explore.trial import scenario_trial
from sim.world import Ability

TURN = loads("""
tools: {Read: {}, Bash: {safe: false, cascades: true}}
calls:
  - {id: a, takes: 200ms, progress: [100ms]}
  - {id: b, takes: 300ms}
  - {id: c, tool: Bash, at: 100ms, takes: 100ms, ends: error}
  - {id: d, at: 350ms, takes: 100ms}
events: [{at: 500ms, do: stream_end}]
""")


@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
def test_a_turn_cut_short_anywhere_and_twice_keeps_every_rule(engine: Any) -> None:
    """E10, A7: whatever the consumer and the user do, every call is answered and nothing is left."""
    found = explore(TURN, engine, scheduler="sweep", depth=2)
    assert found.complete
    assert found.violations == ()
    assert found.tried > 50


class DeafToSubmits(StreamingToolExecutor):
    """Our own executor, but for a new message, which changes nothing."""

    def __init__(self, stage: OwnStage) -> None:
        super().__init__(stage.tools, options=stage.options)

    def submit(self, *, force: bool = False) -> bool:
        return True


def test_the_sweep_finds_what_only_a_submit_shows() -> None:
    """F5: what a submit may stop runs on; at each of the instants before its end."""
    turn = Scenario(tools={"Read": ToolSpec(interrupt="cancel")}, calls=[Call(id="a", takes="1s", progress=["500ms"])])
    found = explore(turn, from_object(DeafToSubmits), scheduler="sweep", depth=1)
    (failure,) = found.violations
    assert (failure.kind, failure.times, failure.plan.cuts) == ("F5", 2, (Cut("submit", 500_000_000),))


@pytest.mark.parametrize(("supports", "acts"), [((), set()), (("stop",), {"stop"}), (("submit",), {"submit"})])
def test_the_sweep_lets_the_user_do_only_what_the_executor_can_be_told_of(
    supports: tuple[Ability, ...], acts: set[str]
) -> None:
    async def drive(stage: OwnStage) -> None:
        async for block in stage.blocks():
            stage.emit(await stage.call(block))

    plan = Plan(OwnEngine("plain", drive, frozenset(supports)))
    ended = tried(sweep(plan, depth=1), scenario_trial(Scenario(calls=[Call(id="a", takes="1s")])))
    assert {cut.how for each in ended for cut in each.plan.cuts} == {"cancel", "wake"} | acts


def test_a_cancelled_consumer_is_written_down_once_and_its_turn_ends() -> None:
    """E10: what nobody took any more stands in the closing report."""
    waits = Waits(cancel_at=[1, 2])
    log = simulate(TURN, waits=waits)
    kinds = [event.kind for event in log.events]
    assert kinds.count(Kind.CONSUMER_LEFT) == 1
    left = log.events[kinds.index(Kind.CONSUMER_LEFT)]
    assert (left.t_ns, dict(left.detail)) == (0, {"how": "cancelled"})
    assert log.events[-1].kind is Kind.TURN_ENDED
    assert log.trouble is None
    assert check(log) == []


def test_a_consumer_that_leaves_is_written_down_at_the_instant_at_which_it_does() -> None:
    turn = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="2s")], consumer=Consumer(leaves_after=1))
    (left,) = [event for event in simulate(turn).events if event.kind is Kind.CONSUMER_LEFT]
    assert (left.t_ns, dict(left.detail)) == (10**9, {"how": "left"})


async def careless() -> str:
    """Starts work, and forgets it when cancelled while it waits for the second time."""
    work = asyncio.create_task(asyncio.sleep(10))
    try:
        await asyncio.sleep(1)
    except asyncio.CancelledError:
        work.cancel()
        raise
    await asyncio.sleep(1)
    work.cancel()
    return "done"


def test_the_sweep_finds_the_one_point_at_which_a_cancellation_leaves_something_behind() -> None:
    found = explore(careless, scheduler="sweep", depth=1)
    (failure,) = found.violations
    assert failure.kind == "left behind"
    assert failure.told == "left behind: Task-2 still ran when the cancelled coroutine had ended"
    assert failure.times == 2
    assert {str(cut) for cut in failure.plan.cuts} <= {"cancel@2", "wake@2"}
    assert str(found) == "2 of all 5 schedules with <= 1 cuts fail"


async def loses_what_it_got() -> list[int]:
    """Loses an item where it is cancelled with the item in its hands."""
    queue: asyncio.Queue[int] = asyncio.Queue()
    asyncio.get_running_loop().call_later(1, queue.put_nowait, 7)
    got: list[int] = []
    getter = asyncio.ensure_future(queue.get())
    try:
        await asyncio.wait([getter])
    except asyncio.CancelledError:
        if getter.done():
            raise LookupError("the item is lost") from None
        getter.cancel()
        return got
    return [*got, getter.result()]


def test_a_cancellation_at_the_moment_of_waking_finds_what_one_at_once_does_not() -> None:
    (failure,) = explore(loses_what_it_got, scheduler="sweep", depth=1).violations
    assert (failure.kind, failure.plan.cuts) == ("LookupError", (Cut("wake", 1),))


def test_points_are_counted_as_the_coroutine_waits() -> None:
    async def main() -> list[float]:
        instants = []
        for delay_s in (1, 0, 2):
            try:
                await asyncio.sleep(delay_s)
            except asyncio.CancelledError:
                instants.append(asyncio.get_running_loop().time())
        return instants

    for cancel_at, wake_at, instants in (
        ([], [], []),
        ([1], [], [0]),
        ([1, 2], [], [0, 0]),
        ([3], [], [1]),
        ([], [1], [1]),
        ([], [2], [1]),
        ([2], [3], [1, 3]),
        ([9], [9], []),
    ):
        waits = Waits(cancel_at, wake_at)
        assert run(waits.watch(main())) == instants, (cancel_at, wake_at)
        assert waits.count == 3


def test_a_point_that_waits_for_what_is_awaited_by_others_is_passed_on_unharmed() -> None:
    """Waiting for a task, a future, a lock: as without being watched."""

    async def main() -> list[object]:
        lock, event = asyncio.Lock(), asyncio.Event()
        task = asyncio.create_task(asyncio.sleep(1, "slept"))
        asyncio.get_running_loop().call_later(3, event.set)
        async with lock, asyncio.timeout(10):
            return [await task, await asyncio.wait_for(event.wait(), 5), asyncio.get_running_loop().time()]

    assert run(Waits().watch(main())) == run(main()) == ["slept", True, 3.0]


cuts = st.builds(Cut, st.sampled_from(["cancel", "wake", "stop", "submit"]), st.integers(1, 10**12))


@given(cuts)
def test_a_cut_is_read_back_from_its_words(cut: Cut) -> None:
    assert Cut.parse(str(cut)) == cut


@pytest.mark.parametrize("text", ["", "cancel", "cancel@0", "cancel@-1", "wake@x", "stop@soon", "leave@3", "cancel@²"])
def test_what_is_no_cut_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        Cut.parse(text)


@settings(max_examples=100)
@given(strategies.turns(), st.integers(0, 9), st.sampled_from([1, 50_000_000, 10**9]))
def test_jitter_moves_within_its_bound_and_gives_a_scenario_that_holds(turn: Scenario, seed: int, by_ns: int) -> None:
    moved = jittered(turn, seed, by_ns)
    assert jittered(turn, seed, by_ns) == moved
    assert Scenario.model_validate(moved.model_dump(mode="json", by_alias=True)) == moved
    for before, after in zip(turn.calls, moved.calls, strict=True):
        assert abs(after.at_ns - before.at_ns) <= by_ns
        if isinstance(before.takes, int) and isinstance(after.takes, int):
            assert abs(after.takes - before.takes) <= by_ns


def test_jitter_moves_hooks_and_answers_too_each_by_itself() -> None:
    """Whatever is fixed and has an end; a hook and an answer may then come before or after what it tied with."""
    turn = loads("""
    tools:
      Bash: {safe: false, answer: {says: allow, after: 1s}, pre_hook: {takes: 1s}, post_hook: {takes: hang}}
    hooks: [{takes: 1s}, {takes: 1s}, {on: post, takes: {uniform: [1s, 2s]}}]
    permissions: {ask: [Bash], answer: {says: refuse, after: 1s}}
    calls:
      - {id: a, tool: Bash, answer: never}
      - {id: b, tool: Bash, answer: {says: deny, after: 1s}, pre_hook: {takes: 1s}, failure_hook: {takes: 1s}}
    """)

    def lengths(turn: Scenario) -> list[Any]:
        bash, b, hooks = turn.tools["Bash"], turn.calls[1], turn.hooks
        hooked = [bash.pre_hook, *hooks[:2], b.pre_hook, b.failure_hook]
        answers = [bash.answer, turn.permissions.answer, b.answer]
        return [hook and hook.takes for hook in hooked] + [answer and answer.after for answer in answers]

    moved = jittered(turn, 1, 10**6)
    assert lengths(turn) == [10**9] * 8
    assert len(set(lengths(moved)) - {10**9}) == 8
    assert all(abs(length - 10**9) <= 10**6 for length in lengths(moved))
    bash = moved.tools["Bash"]
    assert (bash.post_hook, moved.hooks[2], moved.calls[0].answer) == (
        turn.tools["Bash"].post_hook,
        turn.hooks[2],
        turn.calls[0].answer,
    )


@settings(max_examples=60)
@given(strategies.turns(), st.sampled_from(["streaming", "batch", "serial"]), st.integers(0, 99), st.integers(1, 9))
def test_random_turns_in_random_order_and_moved_keep_every_rule(
    turn: Scenario, engine: Any, seed: int, point: int
) -> None:
    for cut in ((), (Cut("cancel", point),), (Cut("wake", point), Cut("cancel", point + 1))):
        played = Plan(engine, seed, jitter_ns=seed % 3, order_seed=seed, cuts=cut).play(turn)
        assert played.trouble is None
        assert check(played) == [], played.timeline()
