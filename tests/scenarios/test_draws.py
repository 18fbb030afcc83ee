"""Chance: one stream for each source, so that nobody's draws shift another's (DESIGN 6)."""

from collections.abc import Sequence

from scenarios import Call, HookSpec, Scenario
from scenarios.draws import Draws
from scenarios.durations import Uniform
from sim import simulate

LONG = {"uniform": ["1s", "1000s"]}


def lefts(calls: Sequence[Call], hooks: Sequence[HookSpec] = ()) -> dict[str | None, int]:
    """When each body was over, from its start on."""
    run = simulate(Scenario(options={"max_concurrency": None}, calls=calls, hooks=hooks), seed=3)
    began = {event.call: event.t_ns for event in run.events if event.kind == "entered"}
    return {event.call: event.t_ns - began[event.call] for event in run.events if event.kind == "left"}


def test_each_source_has_a_stream_of_its_own_whatever_the_names_hold() -> None:
    takes = Uniform(low="1ns", high="1h")
    sources = [("call", "a", "takes"), ("call", "b", "takes"), ("hook", "a", "takes"), ("call", "a/takes"), ("call a",)]
    drawn = [Draws(0).duration_ns(takes, *source) for source in sources]
    assert len(set(drawn)) == len(sources)
    assert drawn == [Draws(0).duration_ns(takes, *source) for source in sources]
    assert drawn != [Draws(1).duration_ns(takes, *source) for source in sources]


def test_a_rate_is_the_share_in_which_something_happens() -> None:
    happened = sum(Draws(seed).happens(0.3, "call", "a", "fails") for seed in range(2_000))
    assert abs(happened - 600) < 80
    assert not Draws(0).happens(0, "call")
    assert Draws(0).happens(1, "call")


def test_a_call_a_hook_or_a_question_more_shifts_nobody_elses_draws() -> None:
    """Issue 4: a failure, an answer's latency and a hook's duration have streams of their own."""
    own = lefts([Call(id="a", takes=LONG)])
    assert lefts([Call(id="z", takes=LONG), Call(id="a", takes=LONG), Call(id="y", takes=LONG)])["a"] == own["a"]
    assert lefts([Call(id="a", takes=LONG, fails=0.5)]) == own
    assert lefts([Call(id="a", takes=LONG, answer={"says": "allow", "after": LONG})]) == own
    assert lefts([Call(id="a", takes=LONG)], [HookSpec(name="h", takes=LONG, timeout="1h")]) == own


def test_hooks_and_answers_draw_for_each_call_anew() -> None:
    hooks = [HookSpec(name="one", takes=LONG, timeout="1h"), HookSpec(name="two", on="post", takes=LONG, timeout="1h")]
    calls = [Call(id=name, answer={"says": "allow", "after": LONG}) for name in "ab"]
    run = simulate(Scenario(calls=calls, hooks=hooks))
    ends = [event.t_ns for event in run.events if event.kind in ("hook_ended", "question_answered")]
    assert len(set(ends)) == len(ends) == 6


def test_calls_of_a_tool_fail_at_its_rate_and_a_call_may_say_otherwise() -> None:
    calls = [Call(id=f"c{n}", tool="Flaky") for n in range(200)]
    never = [Call(id="never", tool="Flaky", fails=0), Call(id="always", tool="Flaky", fails=1)]
    run = simulate(Scenario(tools={"Flaky": {"fails": 0.25}}, calls=[*calls, *never]))
    outcomes = {result.call_id: result.outcome.value for result in run.results}
    assert 30 <= list(outcomes.values()).count("error") <= 75
    assert (outcomes["never"], outcomes["always"]) == ("ok", "error")
