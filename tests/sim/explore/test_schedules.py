"""Exploration of orders: what ties from outside at one instant, and nothing else (SPEC A11)."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from scenarios import Call, Scenario, loads
from sim import explore, simulate
from sim.clock import Choices, Environment, Rank, SeededChoices, SimLoop, run
from sim.explore import Plan
from sim.explore.searches import exhaustive, tried
from sim.explore.trial import program_trial, scenario_trial

SCHEDULERS = ["random", "exhaustive", "hypothesis"]


async def lost_update() -> None:
    """Two tasks and one shared list, an await between read and write; first come, it goes well."""
    shared: list[str] = []

    async def add(name: str, after_s: float) -> None:
        if after_s:
            await asyncio.sleep(after_s)
        seen = list(shared)
        await asyncio.sleep(2)
        shared[:] = [*seen, name]

    await asyncio.gather(add("a", 0), add("b", 2))
    if shared != ["a", "b"]:
        raise LookupError(f"lost an update: {shared}")


async def meeting(*parties: tuple[str, list[float]]) -> str:
    """Each party sleeps to its instants in turn; gives the order in which all woke."""
    loop = asyncio.get_running_loop()
    woke = ""

    async def party(name: str, at_s: list[float]) -> None:
        nonlocal woke
        for instant_s in at_s:
            await asyncio.sleep(instant_s - loop.time())
            woke += name

    async with asyncio.TaskGroup() as group:
        for name, at_s in parties:
            group.create_task(party(name, at_s))
    return woke


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_every_scheduler_finds_the_planted_race_and_names_the_one_choice_that_matters(scheduler: Any) -> None:
    found = explore(lost_update, scheduler=scheduler, schedules=200)
    (failure,) = found.violations
    assert failure.kind == "LookupError"
    assert failure.told == "LookupError: lost an update: ['b']"
    assert failure.plan == Plan(choices={0: 1})


def test_the_race_does_not_show_first_come_and_its_choices_show_it_again() -> None:
    trial = program_trial(lost_update)
    assert trial(Plan()).broken == {}
    again = trial(Plan(choices={0: 1}))
    assert (again.outcome, again.plan) == ("LookupError: lost an update: ['b']", Plan(choices={0: 1}))


# Worked out by hand: three that tie can come in 3! orders; where a and b tie at 1 s, and a, b and c at 2 s, there are
# 2! orders of the first times 3! of the second.
@pytest.mark.parametrize(
    ("parties", "orders", "said"),
    [
        ([("a", [1]), ("b", [1]), ("c", [1])], 6, "all 6 schedules hold"),
        ([("a", [1, 2]), ("b", [1, 2]), ("c", [2])], 12, "all 12 schedules hold"),
        ([("a", [1]), ("b", [2]), ("c", [3])], 1, "the only schedule holds"),
    ],
)
def test_depth_first_tries_every_order_once(parties: list[tuple[str, list[float]]], orders: int, said: str) -> None:
    found = explore(lambda: meeting(*parties), scheduler="exhaustive")
    assert (found.tried, found.complete, len(found.outcomes)) == (orders, True, orders)
    assert set(found.outcomes.values()) == {1}
    assert str(found) == said


def test_bounded_depth_first_tries_every_order_with_so_few_deviations() -> None:
    """Three that tie: first a choice of three, then of two. One deviation: 2 + 1 orders besides first-come's."""
    parties = [("a", [1.0]), ("b", [1.0]), ("c", [1.0])]
    for deviations, orders, said in (
        (0, {"abc"}, "the only schedule with <= 0 deviations holds"),
        (1, {"abc", "bac", "cab", "acb"}, "all 4 schedules with <= 1 deviations hold"),
    ):
        found = explore(lambda: meeting(*parties), scheduler="exhaustive", deviations=deviations)
        assert {outcome.strip("'") for outcome in found.outcomes} == orders
        assert str(found) == said


def test_a_limit_on_the_runs_leaves_the_search_incomplete_and_gives_a_confidence_instead() -> None:
    parties = [("a", [1.0]), ("b", [1.0]), ("c", [1.0])]
    whole = explore(lambda: meeting(*parties), scheduler="exhaustive", schedules=6)
    part = explore(lambda: meeting(*parties), scheduler="exhaustive", schedules=5)
    assert (whole.tried, whole.complete) == (6, True)
    assert (part.tried, part.complete, str(part)) == (5, False, "0 of 5: failure rate < 45 % at 95 %")


def test_ranks_are_never_reordered() -> None:
    """A11: an arrival never comes before a body's end of the same instant, nor after a stop."""

    def order(choices: Choices) -> str:
        env = Environment(pick=choices)
        seen: list[str] = []
        for n, rank in enumerate((Rank.STOP, Rank.ARRIVAL, Rank.NORMAL, Rank.STOP, Rank.ARRIVAL, Rank.NORMAL)):
            env.at_ns(5, f"{rank.value}{n}", rank).callbacks.append(lambda event: seen.append(event.value))
        env.run()
        return " ".join(seen)

    orders = {order(SeededChoices(seed)) for seed in range(100)}
    assert len(orders) == 2**3
    assert {"".join(word[0] for word in one.split()) for one in orders} == {"112255"}


def test_the_ready_queue_is_never_reordered() -> None:
    async def main() -> list[int]:
        seen: list[int] = []
        for n in range(8):
            asyncio.get_running_loop().call_soon(seen.append, n)
        await asyncio.sleep(0)
        return seen

    found = explore(main, schedules=50)
    assert list(found.outcomes) == ["[0, 1, 2, 3, 4, 5, 6, 7]"]


def test_what_follows_from_an_event_is_no_choice_and_a_cancelled_timer_neither() -> None:
    """A process's end, an event that succeeded and an interrupt are consequences."""
    choices = Choices()
    env = Environment(pick=choices)

    def waiter(event: Any) -> Any:
        yield event

    done = [env.event() for _ in range(3)]
    processes = [env.process(waiter(event)) for event in done]
    env.at_ns(5).callbacks.append(lambda _: [event.succeed() for event in done])
    env.cancel(env.at_ns(5))
    for process in processes:
        env.interrupt(process)
    processes[0].defused = True
    with pytest.raises(BaseException, match="None"):
        env.run()
    assert choices.counts == []


def test_simpy_processes_beside_a_coroutine_are_explored_too() -> None:
    async def main() -> str:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimLoop)
        seen: list[str] = []

        def process(name: str) -> Any:
            yield loop.env.timeout(1)
            seen.append(name)

        await asyncio.gather(*(loop.as_future(loop.env.process(process(name))) for name in "xyz"))
        return "".join(seen)

    found = explore(main, scheduler="exhaustive")
    assert found.outcomes == dict.fromkeys(["'xyz'", "'xzy'", "'yxz'", "'yzx'", "'zxy'", "'zyx'"], 1)


def test_the_same_seed_explores_the_same_orders_and_another_seed_others() -> None:
    def orders(seed: int) -> list[str]:
        parties = [(name, [1.0, 2.0]) for name in "abcdef"]
        return list(explore(lambda: meeting(*parties), schedules=30, seed=seed).outcomes)

    assert orders(1) == orders(1)
    assert orders(1) != orders(2)


def test_a_program_that_depends_on_more_than_its_schedule_is_told_so() -> None:
    runs = iter(range(100))

    def changing() -> Coroutine[Any, Any, str]:
        names = "ab" if next(runs) == 0 else "a"
        return meeting(*((name, [1.0]) for name in names))

    with pytest.raises(RuntimeError, match="has no choice point 0 this time"):
        explore(changing, scheduler="exhaustive")


@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
def test_every_order_of_three_ends_at_one_instant_keeps_every_rule(engine: Any) -> None:
    """A11, T2: the streaming engine's reads end together; whichever ends first, all rules hold."""
    calls = [Call(id=name, takes="1s") for name in "abc"] + [Call(id="d", takes="1s", safe=False)]
    found = explore(Scenario(calls=calls), engine, scheduler="exhaustive")
    assert (found.tried, found.failing) == (1 if engine == "serial" else 6, 0)
    assert list(found.outcomes) == ["a ok, b ok, c ok, d ok"]


def test_choices_change_the_log_and_give_the_same_log_again() -> None:
    scenario = Scenario(calls=[Call(id=name, takes="1s") for name in "abc"])
    runs = [simulate(scenario, choices=choices) for choices in (None, Choices(), SeededChoices(3), SeededChoices(4))]
    assert runs[0].digest == runs[1].digest
    assert len({one.digest for one in runs}) == 3
    drawn = SeededChoices(3)
    digest = simulate(scenario, choices=drawn).digest
    assert digest == runs[2].digest == simulate(scenario, choices=Choices(drawn.deviations)).digest


def test_a_search_sees_how_each_run_ended() -> None:
    trial = scenario_trial(Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="1s")]))
    ended = list(tried(exhaustive(Plan()), trial))
    assert [(one.plan.choices, one.counts, one.instants_ns) for one in ended] == [
        ({}, (2,), (0, 10**9)),
        ({0: 1}, (2,), (0, 10**9)),
    ]


@pytest.mark.parametrize(
    ("word", "value"), [("schedules", 0), ("depth", 0), ("deviations", -1), ("jitter", "soon"), ("scheduler", "all")]
)
def test_bounds_that_are_none_are_refused(word: str, value: Any) -> None:
    with pytest.raises(ValueError, match="expected"):
        explore(lost_update, **{word: value})


def test_first_come_is_the_order_without_choices() -> None:
    parties = [(name, [1.0]) for name in "abcd"]
    assert run(meeting(*parties)) == "abcd"
    assert run(meeting(*parties), loop=SimLoop(Environment(pick=Choices({0: 3, 1: 9})))) == "dcab"


def test_a_hook_that_resists_beside_a_body_that_ended_costs_no_result_whatever_comes_first() -> None:
    """A6, A9: found by a campaign; with no grace, giving the call up once came before giving up its hook."""
    turn = loads("""
    options: {grace: 0s}
    tools: {Read: {timeout: 100ms}}
    hooks: [{on: post, takes: hang, stubborn: true, timeout: 100ms}]
    calls: [{id: c0}, {id: c1}, {id: c2}]
    """)
    trial = scenario_trial(turn)
    assert trial(Plan.parse("--choices 3:1,4:7,5:1,6:3,7:1")).broken == {}
    found = explore(turn, schedules=100)
    assert (found.failing, list(found.outcomes)) == (0, ["c0 ok, c1 ok, c2 ok"])
