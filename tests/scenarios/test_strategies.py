"""The strategies: every feature is reached, can be switched off, and shrinks to the smallest turn that shows it."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

import scenarios
from scenarios import (
    Answer,
    Call,
    Consumer,
    Happening,
    HookSpec,
    Options,
    Permissions,
    Scenario,
    ToolSpec,
    dump,
    loads,
)
from scenarios.strategies import (
    FEATURES,
    INTERRUPTIONS,
    Feature,
    answers,
    calls,
    consumers,
    hooks,
    permissions,
    turns,
    users,
)

NEEDS_NO_EXAMPLES = settings(database=None, derandomize=True, max_examples=5_000, phases=[Phase.generate, Phase.shrink])

READ, LOOK = ToolSpec(), ToolSpec(interrupt="cancel")


def given_answers(turn: Scenario) -> list[Answer]:
    """Every answer that is given in words."""
    return [answer for answer in (turn.permissions.answer, *(call.answer for call in turn.calls)) if answer]


def rewriting(answer: Answer) -> bool:
    return answer.rewrite is not None


SHOWS: dict[Feature, Callable[[Scenario], bool]] = {
    "classes": lambda turn: any(not tool.safe and not tool.cascades for tool in turn.tools.values()),
    "overrides": lambda turn: any(call.safe is not None for call in turn.calls),
    "cascading": lambda turn: any(tool.cascades for tool in turn.tools.values()),
    "classifier": lambda turn: any(tool.classifier_raises for tool in turn.tools.values()),
    "unknown": lambda turn: any(not tool.available for tool in turn.tools.values()),
    "invalid": lambda turn: any(not call.valid for call in turn.calls),
    "failures": lambda turn: any(call.ends in ("error", "raise") for call in turn.calls),
    "foreign_cancel": lambda turn: any(call.ends == "cancelled" for call in turn.calls),
    "stubborn": lambda turn: any(call.stubborn != "no" for call in turn.calls),
    "hooks": lambda turn: bool(turn.hooks),
    "rewrites": lambda turn: (
        any(hook.rewrite is not None for hook in turn.hooks) or any(map(rewriting, given_answers(turn)))
    ),
    "rules": lambda turn: any((turn.permissions.deny, turn.permissions.ask, turn.permissions.allow)),
    "questions": lambda turn: any(tool.approval or tool.interactive for tool in turn.tools.values()),
    "refusals": lambda turn: (
        any(call.refuses_ns is not None for call in turn.calls)
        or any(answer.says == "refuse" for answer in given_answers(turn))
        or any(event.do == "refuse" for event in turn.events)
    ),
    "deadlines": lambda turn: any(tool.timeout_ns is not None for tool in turn.tools.values()),
    "background": lambda turn: any(call.background_ns is not None for call in turn.calls),
    "consumer": lambda turn: turn.consumer != Consumer(),
    "progress": lambda turn: any(call.progress for call in turn.calls),
    "modifiers": lambda turn: any(call.sets for call in turn.calls),
    "limit": lambda turn: turn.options.max_concurrency != 10,
    "eager": lambda turn: turn.options.emission == "eager",
    "policies": lambda turn: turn.options.cascade != "exclusive",
    "late_end": lambda turn: any(event.do == "stream_end" for event in turn.events),
    "stop": lambda turn: any(event.do == "stop" for event in turn.events),
    "submit": lambda turn: any(event.do == "submit" for event in turn.events),
    "discard": lambda turn: any(event.do == "discard" for event in turn.events),
    "stream_error": lambda turn: any(event.do == "stream_error" for event in turn.events),
    "cancel": lambda turn: any(event.do == "cancel" for event in turn.events),
}

MINIMA: dict[Feature, Scenario] = {
    "classes": Scenario(tools={"Edit": ToolSpec(safe=False)}, calls=[Call(id="c0", tool="Edit")]),
    "overrides": Scenario(calls=[Call(id="c0", safe=True)]),
    "cascading": Scenario(tools={"Bash": ToolSpec(safe=False, cascades=True)}, calls=[Call(id="c0", tool="Bash")]),
    "classifier": Scenario(tools={"Odd": ToolSpec(classifier_raises=True)}, calls=[Call(id="c0", tool="Odd")]),
    "unknown": Scenario(tools={"Gone": ToolSpec(available=False)}, calls=[Call(id="c0", tool="Gone")]),
    "invalid": Scenario(calls=[Call(id="c0", valid=False)]),
    "failures": Scenario(calls=[Call(id="c0", ends="error")]),
    "foreign_cancel": Scenario(calls=[Call(id="c0", ends="cancelled")]),
    "stubborn": Scenario(calls=[Call(id="c0", stubborn="signal")]),
    "hooks": Scenario(hooks=[{}]),
    "rewrites": Scenario(
        permissions={"asker": "person", "answer": {"says": "allow", "rewrite": {"input": {"command": "a"}}}}
    ),
    "rules": Scenario(permissions={"deny": ["*(a)"]}),
    "questions": Scenario(tools={"Fetch": {"approval": True}}, calls=[Call(id="c0", tool="Fetch")]),
    "refusals": Scenario(calls=[Call(id="c0", refuses=0)]),
    "deadlines": Scenario(tools={"Read": {"timeout": "100ms"}}, calls=[Call(id="c0")]),
    "background": Scenario(calls=[Call(id="c0", background=0)]),
    "consumer": Scenario(consumer=Consumer(leaves_after=1)),
    "progress": Scenario(calls=[Call(id="c0", progress=[0])]),
    "modifiers": Scenario(calls=[Call(id="c0", sets={"x": "c0"})]),
    "limit": Scenario(options=Options(max_concurrency=None)),
    "eager": Scenario(options=Options(emission="eager")),
    "policies": Scenario(options=Options(cascade="any")),
    "late_end": Scenario(events=[Happening(at=0, do="stream_end")]),
    "stop": Scenario(events=[Happening(at=0, do="stop")]),
    "submit": Scenario(events=[Happening(at=0, do="submit")]),
    "discard": Scenario(events=[Happening(at=0, do="discard")]),
    "stream_error": Scenario(events=[Happening(at=0, do="stream_error")]),
    "cancel": Scenario(events=[Happening(at=0, do="cancel")]),
}


@pytest.mark.parametrize("feature", FEATURES)
def test_each_feature_is_reached_and_shrinks_to_the_smallest_turn_that_has_it(feature: Feature) -> None:
    assert find(turns(), SHOWS[feature], settings=NEEDS_NO_EXAMPLES) == MINIMA[feature]


@settings(max_examples=200)
@given(turns(without=FEATURES))
def test_without_its_features_a_turn_is_reads_of_some_length(turn: Scenario) -> None:
    assert [feature for feature in FEATURES if SHOWS[feature](turn)] == []
    assert {call.tool for call in turn.calls} <= {"Read", "Look"}
    assert all(turn.tool_of(call) in (READ, LOOK) for call in turn.calls)


@settings(max_examples=200)
@given(turns(max_calls=4, without=INTERRUPTIONS))
def test_a_feature_that_is_switched_off_never_shows(turn: Scenario) -> None:
    assert len(turn.calls) <= 4
    assert {event.do for event in turn.events} <= {"stream_end", "allow", "refuse"}


@settings(max_examples=100)
@given(calls(4), hooks(), permissions(), users(), consumers(), answers())
def test_the_parts_fit_together_by_themselves(
    some: list[Call],
    hooked: list[HookSpec],
    ruled: Permissions,
    acts: list[Happening],
    consumer: Consumer,
    answer: Answer,
) -> None:
    asking = ruled.model_copy(update={"answer": answer})
    turn = Scenario(calls=some, hooks=hooked, permissions=asking, events=acts, consumer=consumer)
    assert loads(dump(turn)) == turn


@settings(max_examples=100)
@given(turns(min_calls=1, without=FEATURES, always=["progress", "deadlines"]))
def test_a_feature_that_is_always_on_beside_none_is_the_only_one_that_shows(turn: Scenario) -> None:
    assert turn.calls
    assert {feature for feature in FEATURES if SHOWS[feature](turn)} <= {"progress", "deadlines"}


@settings(max_examples=100)
@given(turns())
def test_a_turn_is_shown_by_the_words_that_make_it_again(turn: Scenario) -> None:
    assert eval(repr(turn)) == turn


def test_what_is_not_said_is_not_shown() -> None:
    assert repr(Call(id="a", takes="200ms")) == "Call(id='a', takes='200ms')"


def test_an_unknown_feature_is_refused() -> None:
    with pytest.raises(ValueError, match=r"expected features among classes, .*, got stops$"):
        turns(without=["stops"])  # type: ignore[list-item]


@settings(max_examples=200)
@given(turns())
def test_times_lie_on_a_grid_of_a_tenth_of_a_second(turn: Scenario) -> None:
    tenth_ns = 100_000_000
    for call in turn.calls:
        assert isinstance(call.takes, int)
        for ns in (call.at_ns, call.takes, *call.progress):
            assert ns in range(0, 11 * tenth_ns, tenth_ns)
    assert all(event.at_ns in range(0, 21 * tenth_ns, tenth_ns) for event in turn.events)


def test_a_property_of_two_calls_shrinks_to_just_those() -> None:
    def overlap(turn: Scenario) -> bool:
        pairs = [(a, b) for a in turn.calls for b in turn.calls if a.id < b.id]
        return any(b.at_ns < a.at_ns + a.takes for a, b in pairs if isinstance(a.takes, int))

    assert find(turns(), overlap, settings=NEEDS_NO_EXAMPLES) == Scenario(
        calls=[Call(id="c0", takes="100ms"), Call(id="c1")]
    )


def test_instants_coincide_often() -> None:
    ties = total = 0

    @settings(NEEDS_NO_EXAMPLES, max_examples=300, suppress_health_check=list(HealthCheck))
    @given(turns())
    def count(turn: Scenario) -> None:
        nonlocal ties, total
        instants = [
            ns for call in turn.calls if isinstance(call.takes, int) for ns in (call.at_ns, call.at_ns + call.takes)
        ]
        total += len(turn.calls) > 1
        ties += len(turn.calls) > 1 and len(set(instants)) < len(instants)

    count()
    assert ties > total / 2


def test_hypothesis_and_the_importers_come_only_when_they_are_asked_for() -> None:
    code = (
        "import sys, scenarios; assert not {'hypothesis', 'scenarios.traces'} & set(sys.modules); "
        "assert scenarios.strategies.turns; assert 'hypothesis' in sys.modules; "
        "assert scenarios.read_trace; assert 'scenarios.traces' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_hypothesis_the_missing_extra_is_named() -> None:
    code = "import sys; sys.modules['hypothesis'] = None; import scenarios; scenarios.strategies"
    ended = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "scenarios.strategies needs Hypothesis: pip install 'interlock[testing]'" in ended.stderr


def test_a_name_the_package_does_not_have_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="No scenarios attribute strategy"):
        _ = scenarios.strategy
