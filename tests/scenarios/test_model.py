"""The model: the same words as the files, and errors that say what, got, where and the way out."""

from typing import Any

import pytest
from pydantic import ValidationError

from executor.calls.outcome import Outcome
from scenarios import Call, Consumer, Expect, Happening, Options, Scenario, ToolSpec
from scenarios.durations import Uniform
from scenarios.model import ENGINES, SYNTHETIC


def problems(make: Any, **words: Any) -> list[str]:
    """Give the validators' own messages."""
    with pytest.raises(ValidationError) as caught:
        make(**words)
    return [str(error.get("ctx", {}).get("problem", error["msg"])) for error in caught.value.errors()]


def test_a_call_is_made_with_the_words_of_the_files_and_holds_nanoseconds() -> None:
    call = Call(id="a", at="500ms", takes=0.2, progress=["50ms", 0.1])
    assert (call.at_ns, call.takes, call.progress) == (500_000_000, 200_000_000, (50_000_000, 100_000_000))


def test_defaults_are_a_safe_read_that_takes_no_time_under_the_default_options() -> None:
    scenario = Scenario(calls=[Call(id="a")])
    call = scenario.calls[0]
    assert (call.tool, call.at_ns, call.takes, call.ends, call.stubborn) == ("Read", 0, 0, "ok", "no")
    assert scenario.tool_of(call) == ToolSpec(safe=True, cascades=False, interrupt="block", available=True)
    assert scenario.options == Options(max_concurrency=10, emission="ordered", cascade="exclusive", grace="2s")
    assert scenario.options.grace_ns == 2_000_000_000
    assert (scenario.consumer.takes_ns, scenario.consumer.leaves_after) == (0, None)
    assert scenario.expect.engines == ENGINES == ("streaming", "batch", "serial")


def test_nothing_can_be_changed_afterwards() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Call(id="a").id = "b"  # type: ignore[misc]


@pytest.mark.parametrize("part", [Call, ToolSpec, Happening, Options, Consumer, Expect, Scenario])
def test_an_unknown_word_is_refused(part: Any) -> None:
    with pytest.raises(ValidationError, match="colour"):
        part(colour="red")


@pytest.mark.parametrize("words", [{"id": 1}, {"id": ""}, {"id": "a", "valid": "yes"}, {"id": "a", "input": []}])
def test_nothing_is_guessed_from_another_kind_of_value(words: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Call(**words)


def test_json_values_are_what_json_can_say() -> None:
    assert Call(id="a", sets={"x": [1, None, {"y": 0.5}]}).sets == {"x": [1, None, {"y": 0.5}]}
    assert "JSON knows no nan and no inf" in problems(Call, id="a", sets={"x": [float("nan")]})[0]


def test_a_tool_is_found_by_its_name_and_by_its_alias() -> None:
    tools = {"Read": ToolSpec(aliases=("View",)), "Edit": ToolSpec(safe=False)}
    scenario = Scenario(tools=tools, calls=[Call(id="a", tool="View"), Call(id="b", tool="Edit")])
    assert [scenario.tool_of(call) for call in scenario.calls] == [tools["Read"], tools["Edit"]]
    with pytest.raises(KeyError):
        scenario.tool_of(Call(id="c", tool="Bash"))


def test_an_alias_that_already_names_a_tool_is_refused() -> None:
    assert problems(Scenario, tools={"Read": ToolSpec(), "Bash": ToolSpec(aliases=("Read",))}) == [
        "expected a name of its own, got 'Read', which already means 'Read'; choose another"
    ]


def test_a_tool_that_is_not_named_is_refused_with_the_nearest_name_and_the_way_out() -> None:
    assert problems(Scenario, tools={"Read": ToolSpec()}, calls=[Call(id="a", tool="Reed")]) == [
        "expected a tool named under tools, got 'Reed'; "
        "add Reed: {available: false} if the executor lacks it; did you mean 'Read'?"
    ]


def test_read_is_only_implied_where_no_tool_is_named() -> None:
    assert Scenario(calls=[Call(id="a")]).tool_of(Call(id="a")) == ToolSpec()
    assert problems(Scenario, tools={"Bash": ToolSpec()}, calls=[Call(id="a")]) == [
        "expected a tool named under tools, got 'Read'; "
        "add Read: {available: false} if the executor lacks it; known: Bash"
    ]


def test_ids_are_used_once() -> None:
    assert problems(Scenario, calls=[Call(id="a"), Call(id="b"), Call(id="a")]) == [
        "expected an id of its own, got 'a', which calls[0] has; choose another"
    ]


def test_calls_arrive_in_order() -> None:
    assert problems(Scenario, calls=[Call(id="a", at="1.2s"), Call(id="b", at="500ms")]) == [
        "expected calls in the order they arrive, got 'b' at 500ms after 'a' at 1.2s; sort by at"
    ]


def test_events_come_in_order() -> None:
    assert problems(Scenario, events=[Happening(at=2, do="stop"), Happening(at=1, do="submit")]) == [
        "expected events in order of time, got submit at 1s after stop at 2s; sort by at"
    ]


def test_a_response_ends_once() -> None:
    events = [Happening(at=1, do="stream_error"), Happening(at=1, do="stop"), Happening(at=1, do="stream_end")]
    assert problems(Scenario, events=events) == [
        "expected one end of the stream, got stream_end after stream_error; leave one out"
    ]


@pytest.mark.parametrize("do", ["stream_end", "stream_error"])
def test_no_call_arrives_after_the_responses_end(do: str) -> None:
    """A11: an arrival at the very instant of the end still counts, it comes first."""
    at_the_end = Scenario(calls=[Call(id="a", at=1)], events=[Happening(at=1, do=do)])
    assert at_the_end.stream_end_ns == 1_000_000_000
    assert problems(Scenario, calls=[Call(id="a", at="1.1s")], events=[Happening(at=1, do=do)]) == [
        "expected no call after the stream's end at 1s, got 'a' at 1.1s; move one of them"
    ]


def test_without_an_event_the_response_ends_with_its_last_call() -> None:
    assert (
        Scenario(calls=[Call(id="a"), Call(id="b", at=3)], events=[Happening(at=9, do="stop")]).stream_end_ns
        == 3 * 10**9
    )
    assert Scenario().stream_end_ns == 0


def test_interrupt_is_another_word_for_stop() -> None:
    """A7: in field cases the stop is written ``interrupt, reason: user``."""
    assert (
        Happening(at=1, do="interrupt", reason="user") == Happening(at=1, do="interrupt") == Happening(at=1, do="stop")
    )
    assert problems(Happening, at=1, do="interrupt", reason="sibling") == [
        "expected reason: user, got 'sibling'; a discard is do: discard"
    ]


def test_words_that_mean_nothing_beside_others_are_refused() -> None:
    assert problems(Happening, at=1, do="stop", force=True) == [
        "expected force only with do: submit, got it with do: stop"
    ]
    assert problems(Happening, at=1, do="stop", error="x") == [
        "expected error only with do: stream_error, got it with do: stop"
    ]
    assert problems(Call, id="a", ends="hang", takes=1) == [
        "expected no duration for a body that hangs; leave out takes, or change ends"
    ]


def test_progress_increases_and_stays_within_a_body_of_fixed_length() -> None:
    assert problems(Call, id="a", takes=2, progress=[1, "500ms"]) == [
        "expected increasing times from the body's start, got 500ms after 1s"
    ]
    assert problems(Call, id="a", takes=2, progress=[1, 1]) == [
        "expected increasing times from the body's start, got 1s after 1s"
    ]
    assert problems(Call, id="a", takes=1, progress=[2]) == [
        "expected progress before the body's end, got 2s in a body that takes 1s"
    ]
    assert Call(id="a", ends="hang", progress=[5]).progress == (5_000_000_000,)
    assert Call(id="a", takes=Uniform(low=0, high=1), progress=[5]).progress == (5_000_000_000,)


def test_a_limit_below_one_is_refused_and_null_is_none() -> None:
    assert Options(max_concurrency=None).max_concurrency is None
    with pytest.raises(ValidationError):
        Options(max_concurrency=0)


def test_an_expected_outcome_is_one_of_the_executors() -> None:
    assert Expect(results=[["a", "ok"], ["b", "synthetic_error"]]).results == (("a", "ok"), ("b", "synthetic_error"))
    with pytest.raises(ValidationError, match="got 'cancelled'; known: denied, error, hook_blocked"):
        Expect(results=[["a", "cancelled"]])


def test_a_synthetic_outcome_is_every_one_but_the_tools_own() -> None:
    assert SYNTHETIC | {Outcome.OK, Outcome.ERROR} == set(Outcome)
    assert Outcome.OK not in SYNTHETIC
    assert Outcome.ERROR not in SYNTHETIC


@pytest.mark.parametrize(
    "words",
    [
        {"results": [["b", "ok"]]},
        {"started": ["b"]},
        {"started_at": {"b": 0}},
        {"ended_at": {"b": 0}},
        {"emitted_at": {"b": 0}},
        {"never_overlap": [["a", "b"]]},
    ],
)
def test_what_is_expected_speaks_of_calls_there_are(words: dict[str, Any]) -> None:
    assert problems(Scenario, calls=[Call(id="a")], expect=Expect(**words)) == [
        "expected the id of a call, got 'b'; known: a"
    ]


def test_a_makespan_is_expected_of_all_engines_or_of_each() -> None:
    assert [Expect(makespan=2).makespan_ns(engine) for engine in ENGINES] == [2_000_000_000] * 3
    each = Expect(makespan={"streaming": "2.6s", "serial": "3.1s"})
    assert [each.makespan_ns(engine) for engine in ENGINES] == [2_600_000_000, None, 3_100_000_000]
    assert Expect().makespan_ns("streaming") is None
