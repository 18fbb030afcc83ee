"""The environment: exact instants, ranks, and SimPy's traps (B104, B105, B107, B108, B112, B114)."""

import itertools
import json
import math

import pytest
import simpy

from sim.clock import Environment, Rank


def noted(env, log, name):
    return lambda _: log.append((name, env.now_ns))


def test_a_run_until_an_instant_includes_everything_at_it():
    """B104: also what is scheduled for that instant by what happens at it, and whatever its rank."""
    env, log = Environment(), []

    def process():
        yield env.timeout(5)
        log.append("timeout")
        yield env.timeout(0)
        log.append("follow-up")
        yield env.timeout_ns(0, rank=Rank.STOP)
        log.append("stop")
        yield env.timeout_ns(1)
        log.append("too late")

    env.process(process())
    assert env.run(until=5) is None
    assert (log, env.now, env.now_ns) == (["timeout", "follow-up", "stop"], 5, 5_000_000_000)
    env.run(until=math.inf)
    assert log[-1] == "too late"


def test_a_run_may_end_at_the_present_instant_but_not_before():
    env, log = Environment(initial_time=3), []
    env.timeout(0).callbacks.append(noted(env, log, "now"))
    env.run(until=3)
    assert log == [("now", 3_000_000_000)]
    with pytest.raises(ValueError, match=r"until \(2 s\) must not be in the past: it is 3 s now"):
        env.run(until=2)


def test_three_steps_of_a_tenth_meet_one_of_three_tenths():
    """B108."""
    env, log = Environment(), []

    def steps(name, *delays_s):
        for delay_s in delays_s:
            yield env.timeout(delay_s)
        log.append((name, env.now))

    env.process(steps("a", 0.1, 0.1, 0.1))
    env.process(steps("b", 0.3))
    env.run()
    assert sorted(log) == [("a", 0.3), ("b", 0.3)]


def test_one_instant_is_taken_by_rank_and_within_a_rank_first_come():
    """A11: ends and answers, arrivals, deadlines, the stream's end, stops; for every order of creation."""
    for ranks in itertools.permutations(Rank):
        env, order = Environment(), []
        for rank in (*ranks, *ranks):
            event = env.at_ns(7, value=(rank, len(env._queue)), rank=rank)
            event.callbacks.append(lambda event, order=order: order.append(event.value))
        env.run()
        assert order == sorted(order)
        assert len(order) == 2 * len(Rank)
        assert env.now_ns == 7


def test_an_instant_in_the_past_is_refused():
    """B112."""
    env = Environment(initial_time=2)
    with pytest.raises(ValueError, match=r"from 2000000000 ns on \(now\), got 1999999999 ns"):
        env.at_ns(1_999_999_999)
    with pytest.raises(ValueError, match="from 2000000000 ns on"):
        env.timeout_ns(-1)
    with pytest.raises(ValueError, match="time does not go backwards"):
        env.schedule(env.event(), delay=-1)
    with pytest.raises(TypeError, match=r"whole nanoseconds, got 2\.5"):
        env.at_ns(2.5)


def test_an_infinite_delay_never_comes():
    env = Environment()
    env.timeout(math.inf)
    env.timeout(1)
    env.run()
    assert (env.now, env.peek()) == (1, math.inf)


@pytest.mark.parametrize("user_first", [True, False])
def test_a_completion_at_the_instant_of_an_interrupt_keeps_its_result(user_first):
    """B105, A11: whoever was created first."""
    env, log = Environment(), []

    def tool():
        try:
            yield env.timeout(10)
            yield env.timeout(0)
            log.append("done")
        except simpy.Interrupt:
            log.append("interrupted")

    def user():
        yield env.timeout(10)
        env.interrupt(tools[0])
        yield env.timeout(1)
        env.interrupt(tools[0])

    tools = []
    if user_first:
        env.process(user())
    tools.append(env.process(tool()))
    if not user_first:
        env.process(user())
    env.run()
    assert log == ["done"]


def test_an_interrupt_reaches_a_process_that_has_not_taken_its_first_step():
    """B105."""
    env, log = Environment(), []

    def tool():
        try:
            yield env.timeout(10)
        except simpy.Interrupt as interrupt:
            log.append((interrupt.cause, env.now))

    env.interrupt(env.process(tool()), cause="stop")
    env.run(until=1)
    assert log == [("stop", 0)]


def test_an_abandoned_timeout_can_be_withdrawn_and_does_not_prolong_the_run():
    """B114."""
    env, log = Environment(), []

    def tool():
        timeout = env.timeout(1000)
        try:
            yield timeout
        except simpy.Interrupt:
            env.cancel(timeout)
            env.cancel(timeout)
            log.append(env.now)

    process = env.process(tool())
    env.timeout(1).callbacks.append(lambda _: env.interrupt(process))
    env.run()
    assert (log, env.now, env.peek(), env.next_event_now()) == ([1], 1, math.inf, None)


def test_withdrawn_events_do_not_fill_the_schedule():
    """B115."""
    env = Environment()
    last = env.timeout(2_000)
    for delay_s in range(1_000):
        env.cancel(env.timeout(delay_s))
        assert len(env._queue) < 2 * 64 + 3
    assert env.peek() == 2_000
    env.run()
    assert last.processed
    assert env.now == 2_000


def test_a_failure_nobody_defused_comes_out_of_the_run_as_in_simpy():
    """B107: also one that cannot be rebuilt from its arguments, which SimPy turns into a TypeError."""
    env = Environment()
    env.event().fail(KeyError("a"))
    with pytest.raises(KeyError) as caught:
        env.run()
    assert caught.value.__cause__.args == ("a",)
    env.event().fail(json.JSONDecodeError("broken", "{", 1))
    with pytest.raises(json.JSONDecodeError, match="broken"):
        env.run()


def test_a_run_until_an_event_returns_its_value_and_can_be_resumed():
    env, log = Environment(), []
    event = env.timeout(1, value="spam")
    env.run(until=0)
    stopped = env.run(until=event)
    event2 = env.timeout(1)
    event2.callbacks.append(simpy.core.StopSimulation.callback)
    event2.callbacks.append(noted(env, log, "rest"))
    env.run()
    assert (stopped, log, env.now) == ("spam", [], 2)
    env.run()
    assert log == [("rest", 2_000_000_000)]
    with pytest.raises(RuntimeError, match="No scheduled events left"):
        env.run(until=env.event())


def test_a_run_until_an_instant_may_stop_before_it_as_simpys_does():
    """B104: an option, for models whose results were made that way."""
    env, log = Environment(includes_until=False), []
    for delay_s in (4, 5, 6):
        env.timeout(delay_s).callbacks.append(noted(env, log, "timeout"))
    env.run(until=5)
    assert (log, env.now) == ([("timeout", 4_000_000_000)], 5)
    env.run()
    assert [t_ns for _, t_ns in log] == [4_000_000_000, 5_000_000_000, 6_000_000_000]
