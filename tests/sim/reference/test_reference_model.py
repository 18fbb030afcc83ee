"""The reference model against what people worked out and a plain SimPy model, the executor against it (T1)."""

from itertools import groupby
from pathlib import Path

import pytest
import simpy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from executor.events import Event, Kind
from scenarios import Call, Consumer, Options, Scenario, ToolSpec, load, loads, strategies
from scenarios.model import ENGINES
from sim import simulate
from sim.reference import account_of, compare_with_model, first_difference, predict, unpredictable

LIBRARY = sorted((Path(__file__).parents[3] / "scenarios" / "library").rglob("*.yaml"))


UNSPOKEN: tuple[strategies.Feature, ...] = ("hooks", "questions", "rules", "rewrites", "background")


@settings(max_examples=max(2000, settings().max_examples * 10))
@given(strategies.turns(without=UNSPOKEN))
def test_the_executor_does_at_every_instant_what_the_model_says(scenario: Scenario) -> None:
    """T1: starts, ends, emissions, outcomes, what each call saw, the final context, under every engine."""
    assume(unpredictable(scenario) is None)
    for engine in ENGINES:
        run = simulate(scenario, engine)
        found = compare_with_model(scenario, run.header, run.events)
        assert found == [], f"{found[0]}\n{run.timeline()}"
        assert dict(run.context) == predict(scenario, engine).context


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_the_model_says_what_the_library_expects(path: Path) -> None:
    """What people wrote down for each scenario holds for the model too, which knows nothing of it."""
    scenario = load(path)
    if (gap := unpredictable(scenario)) is not None:
        pytest.skip(f"the model does not speak of {gap}")
    expect = scenario.expect
    for engine in expect.engines:
        account = predict(scenario, engine)
        emitted_at = {id_: at_ns for id_, _, at_ns in account.emitted}
        if expect.results is not None:
            got = [(id_, outcome) for id_, outcome, _ in account.emitted]
            assert [id_ for id_, _ in got] == [id_ for id_, _ in expect.results]
            for (_, outcome), (_, wanted) in zip(got, expect.results, strict=True):
                assert outcome == wanted or (wanted == "synthetic_error" and outcome not in ("ok", "error"))
        if expect.started is not None:
            assert sorted(account.entered) == sorted(expect.started)
        for wanted_at, got_at in (
            (expect.started_at, account.entered),
            (expect.ended_at, account.left),
            (expect.emitted_at, emitted_at),
        ):
            assert wanted_at.items() <= got_at.items()
        if expect.context is not None:
            assert account.context == expect.context


PLAIN = ["classes", "overrides", "limit", "late_end"]


@settings(max_examples=max(500, settings().max_examples))
@given(strategies.turns(without=set(strategies.FEATURES) - set(PLAIN)), st.sampled_from(["streaming", "batch"]))
def test_the_model_agrees_with_readers_and_writers_in_plain_simpy(scenario: Scenario, engine: str) -> None:
    """E3 E4 Q1: readers take one place of a container, writers all of them, first come, first served."""
    account = predict(scenario, engine)
    entered, emitted = _readers_and_writers(scenario, in_batches=engine == "batch")
    assert account.entered == entered
    assert {id_: at_ns for id_, _, at_ns in account.emitted} == emitted


def _readers_and_writers(scenario: Scenario, *, in_batches: bool) -> tuple[dict[str, int], dict[str, int]]:
    """Play plain calls as SimPy processes; gives when each began and when its result was taken."""
    env = simpy.Environment()
    size = scenario.options.max_concurrency or len(scenario.calls) + 1
    room = simpy.Container(env, capacity=size, init=size)
    entered: dict[str, int] = {}
    emitted: dict[str, int] = {}

    def is_safe(call: Call) -> bool:
        return scenario.tool_of(call).safe if call.safe is None else call.safe

    def run(call: Call, before: simpy.Event | None, arrives: simpy.Event | None):  # type: ignore[no-untyped-def]
        yield arrives if arrives is not None else env.timeout(0)
        places = 1 if is_safe(call) else size
        yield room.get(places)
        entered[call.id] = int(env.now)
        yield env.timeout(call.takes)
        yield room.put(places)
        ended = env.now
        if before is not None:
            yield before
        emitted[call.id] = int(max(ended, env.now))

    def batches():  # type: ignore[no-untyped-def]
        yield env.timeout(scenario.stream_end_ns)
        before: simpy.Event | None = None
        for safe, group in groupby(scenario.calls, key=is_safe):
            for batch in [list(group)] if safe else [[call] for call in group]:
                processes = []
                for call in batch:
                    before = env.process(run(call, before, None))
                    processes.append(before)
                # A batch is over when its bodies are; its results may wait for nothing but each other.
                yield env.all_of(processes)

    if in_batches:
        env.process(batches())
    else:
        before: simpy.Event | None = None
        for call in scenario.calls:
            before = env.process(run(call, before, env.timeout(call.at_ns)))
    env.run()
    return entered, emitted


def test_deadlines_refusals_and_failures_by_rate_are_predicted_too() -> None:
    """X5 A2 A4: a deadline stops its call alone unless that cascades; a tool's own abort stops the turn."""
    scenario = Scenario(
        options=Options(cascade="any"),
        tools={"Read": ToolSpec(), "Slow": ToolSpec(timeout="1s"), "Bash": ToolSpec(cascades=True, timeout="2s")},
        calls=[
            Call(id="a", tool="Slow", takes="3s"),
            Call(id="b", takes="5s"),
            Call(id="c", tool="Bash", takes="5s", stubborn="signal"),
            Call(id="d", at="1s", fails=1.0, takes="200ms"),
            Call(id="e", at="4s", takes="1s"),
        ],
    )
    run = simulate(scenario)
    assert compare_with_model(scenario, run.header, run.events) == []
    outcomes = [(id_, outcome, at_ns / 10**9) for id_, outcome, at_ns in predict(scenario).emitted]
    assert outcomes == [
        ("a", "timeout", 1.0),
        ("b", "sibling_error", 4.0),
        ("c", "timeout", 4.0),
        ("d", "error", 4.0),
        ("e", "sibling_error", 4.0),
    ]
    refusing = Scenario(calls=[Call(id="a", takes="2s", refuses="1s", progress=["1s"]), Call(id="b", takes="3s")])
    run = simulate(refusing)
    assert compare_with_model(refusing, run.header, run.events) == []
    assert predict(refusing).how == "stopped"


def test_an_executor_that_is_late_by_a_nanosecond_is_told_where_and_by_what() -> None:
    """T1: the first difference is named with its instant, its call, and what was expected."""
    scenario = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", at="1s", takes="1s")])
    run = simulate(scenario)
    late = [Event(event.t_ns + (event.t_ns > 10**9), *event[1:]) for event in run.events]
    [violation] = compare_with_model(scenario, run.header, late)
    assert violation.rule == "T1"
    assert (violation.at_ns, violation.calls) == (2 * 10**9, ("b",))
    assert violation.message == (
        "expected at 2 s: b body left, b result 2 taken: ok, turn completed with context {}; seen: nothing"
    )


def test_results_in_another_order_at_one_instant_are_a_difference() -> None:
    """T1, P4: the place of a result counts, not only its instant."""
    scenario = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="1s")])
    seen = predict(scenario)
    swapped = predict(scenario.model_copy(update={"calls": scenario.calls[::-1]}))
    assert first_difference(seen, seen) is None
    assert first_difference(swapped, seen) == (
        10**9,
        ["a", "b"],
        "expected at 1 s: a result 1 taken: ok, b result 2 taken: ok; seen: b result 1 taken: ok, a result 2 taken: ok",
    )


def test_a_body_that_hangs_ends_neither_in_the_model_nor_in_the_simulation() -> None:
    """L1 is the oracle's; the model says that such a turn has no end."""
    scenario = Scenario(calls=[Call(id="a", ends="hang"), Call(id="b", at="1s", takes="1s")])
    account = predict(scenario)
    assert (account.how, account.ended_ns, account.emitted) == (None, None, ())
    assert account == account_of(simulate(scenario).events)


def test_the_model_knows_what_a_consumer_that_leaves_did_not_take() -> None:
    """E10, P1: results that nobody took are in the closing report, those that were stopped as stopped."""
    scenario = Scenario(
        options=Options(grace="1s"),
        tools={"Read": ToolSpec(), "Bash": ToolSpec(safe=False)},
        calls=[Call(id="a", takes="1s"), Call(id="b", tool="Bash", takes="5s", stubborn="cancel"), Call(id="c")],
        consumer=Consumer(leaves_after=1),
    )
    account = predict(scenario)
    assert account.closing == (("b", "user_interrupted"), ("c", "user_interrupted"))
    assert (account.abandoned, account.how, account.ended_ns) == (("b",), "left", 3 * 10**9)


def test_a_client_that_is_cancelled_leaves_and_cancelled_again_no_longer_waits() -> None:
    """E10, A9: even while it is busy; the second time what ignores its signal is cancelled, the third time nothing."""
    turn = loads("""
    options: {grace: 1s}
    consumer: {takes: 5s}
    calls:
      - {id: a, takes: 100ms}
      - {id: b, takes: 10s, stubborn: signal}
      - {id: c, takes: 10s, stubborn: cancel}
    events: [{at: 500ms, do: cancel}, {at: 700ms, do: cancel}, {at: 900ms, do: cancel}]
    """)
    account = predict(turn)
    assert account == account_of(simulate(turn).events)
    assert account.left == {"a": 100_000_000, "b": 700_000_000}
    assert (account.how, account.ended_ns, account.abandoned) == ("left", 1_700_000_000, ("c",))
    once = turn.model_copy(update={"events": turn.events[:1]})
    assert predict(once) == account_of(simulate(once).events)
    assert predict(once).ended_ns == 2_500_000_000


def test_calls_abandoned_in_another_order_than_they_came_are_no_difference() -> None:
    """A9: found by 100,000 random turns; nothing says in which order they are told."""
    turn = loads("""
    options: {grace: 200ms}
    tools: {Slow: {timeout: 800ms}, Read: {timeout: 300ms}}
    calls:
      - {id: a, tool: Slow, ends: hang, stubborn: cancel}
      - {id: b, ends: hang, stubborn: cancel}
    """)
    run = simulate(turn)
    assert run.events[-1].detail["abandoned"] == ["b", "a"]
    assert compare_with_model(turn, run.header, run.events) == []


def test_a_log_of_two_attempts_is_accounted_with_the_context_of_the_last() -> None:
    """A8: the retry starts from the turn's first context; what a discarded attempt changed is no part of it."""
    rows = [
        Event(0, Kind.RESPONSE_STARTED, None, {"attempt": 0}),
        Event(1, Kind.CONTEXT, None, {"values": {"x": "a"}}),
        Event(2, Kind.DISCARD, None, {"attempt": 0}),
    ]
    assert account_of(rows).context == {}
    retried = [*rows, Event(3, Kind.RESPONSE_STARTED, None, {"attempt": 1})]
    assert account_of(retried).context == {}
    assert account_of([*retried, Event(4, Kind.CONTEXT, None, {"values": {"y": "b"}})]).context == {"y": "b"}


def test_most_of_the_library_is_predicted_and_words_that_only_describe_silence_nothing() -> None:
    assert sum(unpredictable(load(path)) is None for path in LIBRARY) >= 65
    assert unpredictable(Scenario(rules=["A2"], table=[{"cmd": "ls", "read_only": True}])) is None
