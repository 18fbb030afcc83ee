"""The course of a turn: every instant of its calls, what each waited for, and lanes without overlaps."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor import Engine
from executor.events import Event, Kind
from scenarios import Call, Scenario, ToolSpec, load, read_trace
from scenarios.strategies import turns
from scenarios.traces.model import RecordedCall
from sim import simulate
from sim.analysis.courses import CallCourse, Hook, TurnCourse, Wait, courses
from sim.analysis.lanes import lanes

ROOT = Path(__file__).parents[3]
LIBRARY = ROOT / "scenarios" / "library"
SAMPLES = ROOT / "scenarios" / "samples"
S = 1_000_000_000


def course(name: str, engine: str = "streaming") -> TurnCourse:
    return courses(simulate(load(LIBRARY / f"{name}.yaml"), engine))


def by_id(turn: TurnCourse) -> dict[str, CallCourse]:
    return {call.call: call for call in turn.calls}


def test_the_instants_of_a_call_are_kept_apart() -> None:
    """X7, B119: queue, hook, question and body, each with its own instants."""
    calls = by_id(course("field/B119_an_answer_before_its_question"))
    assert calls["bash"] == CallCourse(
        "bash",
        tool="Bash",
        concurrency_safe=False,
        arrived_ns=S // 2,
        queued_ns=S // 2,
        admitted_ns=2 * S,
        started_ns=2_200_000_000,
        ended_ns=3_200_000_000,
        settled_ns=3_200_000_000,
        emitted_ns=3_200_000_000,
        question_asked_ns=2_200_000_000,
        question_answered_ns=2_200_000_000,
        hooks=(Hook("pre_hook", 2 * S, 2_200_000_000),),
        waits=(Wait("exclusive", "read", S // 2, 2 * S), Wait("hook", None, 2 * S, 2_200_000_000)),
        outcome="ok",
        started=True,
        lane=1,
    )
    assert calls["bash"].blocked_by == "read"


@pytest.mark.parametrize(
    ("name", "engine", "blocked"),
    [
        ("a_limit_of_two", "streaming", {"a": None, "b": None, "c": "a", "d": "c"}),
        ("field/B123_why_was_this_turn_slow", "batch", {"one": "response", "two": "response", "edit": "two"}),
        ("field/B123_why_was_this_turn_slow", "streaming", {"one": None, "two": None, "edit": None}),
        ("a_question_that_nobody_answers", "streaming", {"fetch": "permission"}),
        ("a_failing_shell_command", "streaming", {"look": None, "check": None, "later": "check"}),
        ("field/B084_a_command_moved_to_the_background", "streaming", {"add": None, "commit": "add", "read": "commit"}),
        ("a_message_that_does_not_wait", "streaming", {"edit": "abort"}),
    ],
)  # fmt: skip
def test_a_call_is_blocked_by_what_was_over_last_before_it_was_let_in(
    name: str, engine: str, blocked: dict[str, str | None]
) -> None:
    """E3-E5, X8, B123."""
    assert blocked.items() <= {call.call: call.blocked_by for call in course(name, engine).calls}.items()


def test_what_held_a_call_up_is_named_beside_who() -> None:
    """E3."""
    limited = {call.call: call.blocked_why for call in course("a_limit_of_two").calls}
    assert limited == {"a": None, "b": None, "c": "limit", "d": "limit"}
    alone = {call.call: call.blocked_why for call in course("changes_of_a_batch").calls}
    assert (alone["edit"], alone["after"]) == ("exclusive", "exclusive")


def test_a_call_that_comes_while_work_goes_on_in_the_background_waits_for_its_end() -> None:
    """X8."""
    turn = Scenario(
        tools={"Bash": ToolSpec(safe=False), "Read": ToolSpec()},
        calls=[
            Call(id="serve", tool="Bash", takes="5s", background="1s"),
            Call(id="look", at="2s", takes="1s"),
            Call(id="more", at="3s", takes="1s"),
        ],
    )
    serve, look, more = courses(simulate(turn)).calls
    assert (serve.settled_ns, serve.background_until_ns) == (S, 5 * S)
    assert look.waits == (Wait("exclusive", "serve", 2 * S, 5 * S),)
    assert more.waits == (Wait("exclusive", "serve", 3 * S, 5 * S),)


def test_a_rewritten_call_waits_twice_and_says_for_whom() -> None:
    """H8."""
    hardened = by_id(course("a_rewrite_that_makes_a_call_exclusive"))["hardened"]
    assert hardened.waits == (Wait("hook", None, 0, S // 2), Wait("rewrite", "long", S // 2, 2 * S))
    assert hardened.concurrency_safe is False


def test_a_call_of_a_retry_is_blocked_by_its_predecessor_and_what_was_discarded_says_so() -> None:
    """A8."""
    rows = [
        Event(0, Kind.BLOCK, "a", {"tool": "Edit", "safe": False, "attempt": 0}),
        Event(0, Kind.ENTERED, "a", {}),
        Event(1, Kind.RESPONSE_FAILED, None, {"attempt": 0}),
        Event(1, Kind.DISCARD, None, {"attempt": 0, "withdrawn": [], "effects": ["a"]}),
        Event(2, Kind.BLOCK, "a", {"tool": "Edit", "safe": False, "attempt": 1}),
        Event(3, Kind.LEFT, "a", {"ended": "cancelled"}),
        Event(3, Kind.ENTERED, "a", {}),
    ]
    first, second = courses(({}, rows), violations=()).calls
    assert (first.attempt, first.taken_back, first.ended_ns, first.waits) == (0, "discarded", 3, ())
    assert (second.attempt, second.taken_back, second.started_ns) == (1, None, 3)
    assert second.waits == (Wait("predecessor", "a", 2, 3),)


@settings(max_examples=settings().max_examples // 3)
@given(turns(), st.sampled_from(["streaming", "batch"]))
def test_the_instants_of_every_call_are_in_the_order_of_its_life_and_its_waits_fill_them(
    turn: Scenario, engine: Engine
) -> None:
    """X7: from arrival to body a call of ours waits, meets hooks or is asked about, and does nothing else."""
    for call in courses(simulate(turn, engine), violations=()).calls:
        told = (call.arrived_ns, call.queued_ns, call.admitted_ns, call.started_ns, call.ended_ns)
        known = [at_ns for at_ns in told if at_ns is not None]
        assert known == sorted(known)
        if call.started_ns is not None and call.arrived_ns is not None:
            waited_ns = sum(wait.until_ns - wait.since_ns for wait in call.waits)
            assert waited_ns == call.started_ns - call.arrived_ns, call


def test_without_the_inside_view_admission_is_unknown_and_waits_are_found_all_the_same() -> None:
    rows = [
        Event(0, Kind.RESPONSE_STARTED, None, {}),
        Event(0, Kind.BLOCK, "a", {"tool": "Edit", "safe": False}),
        Event(1, Kind.BLOCK, "b", {"tool": "Read", "safe": True}),
        Event(0, Kind.ENTERED, "a", {}),
        Event(5, Kind.LEFT, "a", {"ended": "ok"}),
        Event(5, Kind.ENTERED, "b", {}),
        Event(7, Kind.LEFT, "b", {"ended": "ok"}),
    ]
    a, b = courses(({}, rows), violations=()).calls
    assert (a.admitted_ns, a.settled_ns, a.outcome, a.waits) == (None, None, None, ())
    assert (b.started_ns, b.waits) == (5, (Wait("exclusive", "a", 1, 5),))


def test_what_a_recording_does_not_tell_stays_unknown() -> None:
    """B120, B121."""
    (turn,) = (turn for turn in read_trace(SAMPLES / "failing_call_and_interrupt.jsonl") if turn.number == 2)
    calls = courses(turn).calls
    assert [(call.started_ns, call.ended_ns, call.outcome) for call in calls[2:]] == [
        (None, None, "sibling_error"),
        (None, None, "sibling_error"),
    ]
    assert {call.start_basis for call in calls[:2]} == {"rule"}


def test_a_recording_without_arrivals_ends_or_starts_has_none_and_says_whose_body_ran() -> None:
    """B120."""
    turn = next(iter(read_trace(SAMPLES / "failing_call_and_interrupt.jsonl")))
    bare = turn._replace(
        calls=tuple(call._replace(arrived_ns=None, started_ns=None, ended_ns=None) for call in turn.calls)
    )
    calls = courses(bare).calls
    assert {call.life_ns for call in calls} == {None}
    assert [(call.outcome, call.started) for call in calls] == [("ok", True)] * 3


def test_a_recorded_safe_call_does_not_wait_for_a_safe_one() -> None:
    turn = next(iter(read_trace(SAMPLES / "failing_call_and_interrupt.jsonl")))
    first, _, last = turn.calls
    assert last.arrived_ns is not None
    slow = first._replace(ended_ns=last.arrived_ns + S)
    late = last._replace(started_ns=last.arrived_ns + 2 * S, ended_ns=last.arrived_ns + 3 * S)

    def waits(*calls: RecordedCall) -> tuple[Wait, ...]:
        return courses(turn._replace(calls=calls, emitted=(first.id, last.id))).calls[1].waits

    assert (slow.safe, late.safe) == (True, True)
    assert waits(slow, late) == ()
    assert [wait.call for wait in waits(slow._replace(class_by=False), late)] == [first.id]


def test_a_recorded_call_is_blocked_by_the_calls_it_may_not_run_beside_or_by_the_response() -> None:
    blocked = [
        {call.call: call.blocked_by for call in courses(turn).calls} for turn in read_trace(SAMPLES / "batch_era.jsonl")
    ]
    assert blocked == [
        {"toolu_d1": "response", "toolu_d2": "response", "toolu_d3": None},
        {"toolu_e1": "response", "toolu_e2": "toolu_e1", "toolu_e3": "toolu_e2"},
    ]


def test_the_last_instant_of_a_turn_is_looked_for_once_however_often_it_is_asked_for() -> None:
    class Counted(tuple[CallCourse, ...]):
        walks = 0

        def __iter__(self) -> Iterator[CallCourse]:
            Counted.walks += 1
            return super().__iter__()

    turn = TurnCourse({}, Counted([CallCourse("a", ended_ns=2 * S), CallCourse("b", emitted_ns=3 * S)]), ())
    assert [turn.span_ns for _ in range(10)] == [3 * S] * 10
    assert Counted.walks == 1


def test_a_course_carries_the_rules_that_were_broken() -> None:
    async def careless(stage):  # type: ignore[no-untyped-def]
        async for block in stage.blocks():
            stage.emit(await stage.call(block))
            stage.emit(await stage.call(block))

    run = simulate(Scenario(calls=[Call(id="a", takes="1s")]), careless)
    assert {violation.rule for violation in courses(run).violations} >= {"S7", "P1"}
    assert courses(run, violations=()).violations == ()


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 6)).map(lambda span: (span[0], span[0] + span[1]))))
def test_nothing_in_a_lane_overlaps_and_there_are_no_more_lanes_than_it_takes(spans: list[tuple[int, int]]) -> None:
    """B122."""
    chosen = lanes(spans)
    taken = {(lane, at) for lane, span in zip(chosen, spans, strict=True) for at in _instants(span)}
    assert len(taken) == sum(len(_instants(span)) for span in spans)
    most = max((sum(at in _instants(span) for span in spans) for at in range(30)), default=0)
    assert len(set(chosen)) == most


def _instants(span: tuple[int, int]) -> range:
    return range(span[0], max(span[1], span[0] + 1))


def test_three_bars_take_two_lanes() -> None:
    """B122."""
    assert [call.lane for call in course("field/B122_three_bars_in_two_lanes").calls] == [0, 1, 0]
