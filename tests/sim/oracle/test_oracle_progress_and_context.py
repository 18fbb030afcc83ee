"""G1, K1 and P5: progress, contexts and contents, on the smallest logs that keep or break each rule."""

import pytest

from executor.events import Event, Kind
from sim.oracle import check, judge


def found(violations, *rules):
    return [(v.rule, v.at_ns // 1_000_000, v.calls) for v in violations if not rules or v.rule in rules]


PROGRESS = """
    0 block a Read safe
    0 entered a
    1 progressed a 0
    1 progress a 0
    2 progressed a 1
    2 progress a 1
    3 left a ok
    3 result a ok
    3 turn_ended completed
"""


@pytest.fixture
def prompt(head):
    return head() | {"consumer": "prompt"}


def test_progress_at_once_in_order_and_before_the_result_breaks_nothing(log, prompt):
    """E7."""
    assert check(prompt, log(PROGRESS)) == []


LOST = "a (Read, safe) has its result, and its progress from {} on was not emitted before"
EARLY = "progress 1 of a (Read, safe) was emitted before it was reported"
OTHER = "progress 1 of a (Read, safe) was emitted where {} was next"


@pytest.mark.parametrize(
    ("rows", "instead", "message"),
    [
        ("1 progress a 0\n2 progressed a 1\n2 progress a 1", "2 progressed a 1", LOST.format(0)),
        ("2 progress a 1\n", "", LOST.format(1)),
        ("2 progress a 1\n3 left a ok\n3 result a ok", "3 left a ok\n3 result a ok\n3 progress a 1", LOST.format(1)),
        ("2 progressed a 1\n2 progress a 1", "2 progress a 1\n2 progressed a 1", EARLY),
        ("1 progress a 0", "1 progress a 1", OTHER.format(0)),
        ("2 progress a 1", "2 progress a 1\n2 progress a 1", OTHER.format(2)),
    ],
)
def test_progress_lost_early_out_of_order_twice_or_after_its_result_breaks_g1(log, head, rows, instead, message):
    right = PROGRESS.replace("    ", "")
    assert rows in right
    violations = check(head(), log(right.replace(rows, instead)))
    assert [v.rule for v in violations[:1]] == ["G1"]
    assert violations[0].message == message


def test_progress_after_the_result_breaks_g1(log, head):
    turn = PROGRESS.replace("    3 turn_ended", "    3 progressed a 2\n    3 progress a 2\n    3 turn_ended")
    assert "after its result" in next(v.message for v in check(head(), log(turn)) if v.rule == "G1")


def test_progress_held_back_breaks_g1_where_the_consumer_is_prompt(log, head, prompt):
    turn = log(PROGRESS.replace("    1 progress a 0\n    2 progressed", "    2 progress a 0\n    2 progressed"))
    assert [(v.rule, v.at_ns, v.message) for v in check(prompt, turn)] == [
        ("G1", 1_000_000, "a (Read, safe) reported progress 0, and it is held back")
    ]
    assert check(head(), turn) == []
    assert check(prompt | {"tolerance_ns": 1_000_000}, turn) == []


def test_progress_of_a_discarded_or_abandoned_call_is_dropped(log, prompt):
    """A8, A9."""
    discarded = """
        0 block a Read safe
        0 entered a
        1 discard 0
        1 signalled a streaming_fallback
        1 progressed a 0
        2 left a raised
        2 turn_ended failed
    """
    assert check(prompt, log(discarded)) == []
    abandoned = """
        0 block a Read safe
        0 entered a
        0 signalled a timeout
        4000 result a timeout abandoned
        4001 progressed a 0
        4002 turn_ended completed a
    """
    assert check(prompt, log(abandoned)) == []


def test_progress_that_a_consumer_who_left_did_not_take_is_nobodys_fault(log, prompt):
    turn = """
        0 block a Read safe
        0 entered a
        1 progressed a 0
        1 progress a 0
        1 consumer_left left
        1 signalled a user_interrupted
        2 progressed a 1
        3 left a raised
        3 turn_ended left a:user_interrupted
    """
    assert check(prompt, log(turn)) == []


def sees(events, **by_call):
    """Let the calls see, and the last context be, what is given."""
    told = []
    for event in events:
        detail = dict(event.detail)
        if event.kind is Kind.ENTERED and event.call in by_call:
            detail["sees"] = by_call[event.call]
        if event.kind is Kind.LEFT and detail["ended"] == "ok":
            detail["sets"] = {"x": event.call}
        if event.kind is Kind.CONTEXT:
            detail["values"] = by_call["end"]
        told.append(Event(event.t_ns, event.kind, event.call, detail))
    return told


CONTEXT = """
    0 block a Read safe
    0 entered a
    0 block b Read safe
    0 entered b
    0 block c Edit exclusive
    0 block d Read safe
    1 left b ok
    2 left a ok
    2 entered c
    3 left c ok
    3 entered d
    4 left d ok
    4 context
    4 result a ok
    4 result b ok
    4 result c ok
    4 result d ok
    4 turn_ended completed
"""


def test_contexts_move_in_request_order_at_barriers(log, head):
    """C2, C3: b ended before a, and its change counts after a's."""
    right = sees(log(CONTEXT), c={"x": "b"}, d={"x": "c"}, end={"x": "d"})
    assert check(head(), right) == []


@pytest.mark.parametrize(
    ("seen", "instants"),
    [
        ({"c": {"x": "a"}}, [(2, ("c",))]),
        ({"c": {}}, [(2, ("c",))]),
        ({"b": {"x": "a"}}, [(0, ("b",))]),
        ({"d": {"x": "b"}}, [(3, ("d",))]),
        ({"end": {"x": "c"}}, [(4, ())]),
        ({"end": {}}, [(4, ())]),
    ],
)
def test_a_dropped_early_or_reordered_change_breaks_k1(log, head, seen, instants):
    """Modifiers in order of completion; dropped; seen by a sibling; not seen by a later call; lost at the end."""
    told = sees(log(CONTEXT), **({"c": {"x": "b"}, "d": {"x": "c"}, "end": {"x": "d"}} | seen))
    assert found(check(head(), told)) == [("K1", *instant) for instant in instants]


def test_a_call_that_did_not_end_ok_changes_nothing(log, head):
    """C1."""
    turn = log(CONTEXT.replace("1 left b ok", "1 left b error").replace("result b ok", "result b error"))
    assert check(head(), sees(turn, c={"x": "a"}, d={"x": "c"}, end={"x": "d"})) == []


def test_an_exclusive_call_without_a_body_is_a_barrier_too(log, head):
    """C3: when it is admitted, even if it is then denied."""
    turn = """
        0 block a Read safe
        0 entered a
        0 block i Read invalid
        0 block b Read safe
        1 left a ok
        1 entered b
        2 left b ok
        2 context
        2 result a ok
        2 result i invalid_input
        2 result b ok
        2 turn_ended completed
    """
    assert check(head(), sees(log(turn), b={"x": "a"}, end={"x": "b"})) == []
    assert found(check(head(), sees(log(turn), end={"x": "b"}))) == [("K1", 1, ("b",))]


def test_a_retry_starts_from_the_turns_first_context(log, head):
    """A8."""
    turn = """
        0 response_started 0
        0 block a Edit exclusive
        0 entered a
        1 left a ok
        1 context
        1 result a ok
        2 discard 0 a effect:a
        2 response_started 1
        2 block b Read safe 1
        2 entered b
        3 left b error
        3 result b error
        3 turn_ended completed
    """
    assert check(head(), sees(log(turn), end={"x": "a"})) == []
    assert found(check(head(), sees(log(turn), b={"x": "a"}, end={"x": "a"}))) == [("K1", 2, ("b",))]


def test_k1_is_skipped_where_the_header_tells_no_context(log, head):
    without = {key: value for key, value in head().items() if key != "context"}
    verdict = judge(without, sees(log(CONTEXT), end={}))
    assert verdict.skipped["K1"] == "the header does not tell the turn's first context"


ECHO = """
    0 block a Read safe{}
    0 entered a
    0 block b Read safe
    0 entered b
    1 left a {}
    1 left b ok
    1 result a {}
    1 result b ok
    1 turn_ended completed
"""


def says(events, said, contents):
    told = []
    for event in events:
        detail = dict(event.detail)
        if event.kind is Kind.LEFT:
            detail["said"] = said[event.call]
        if event.kind is Kind.EMITTED and event.call in contents:
            detail["content"] = contents[event.call]
        told.append(Event(event.t_ns, event.kind, event.call, detail))
    return told


@pytest.mark.parametrize(
    ("outcome", "content", "broken"),
    [
        ("ok", "from a", []),
        ("ok", "from b", [("P5", 1, ("a", "b"))]),
        ("error", "from b", [("P5", 1, ("a", "b"))]),
        ("ok", "something else", [("P5", 1, ("a",))]),
        ("ok", "fr\n[cut: 4 of 6 characters left out]", []),
        ("error", "Error: from a", []),
    ],
)
def test_a_result_that_contains_anothers_words_breaks_p5(log, head, outcome, content, broken):
    """B046, X6: results routed to the wrong id."""
    turn = says(log(ECHO.format("", outcome, outcome)), {"a": "from a", "b": "from b"}, {"a": content, "b": "from b"})
    assert found(check(head(), turn)) == broken


def test_hooks_may_replace_what_a_body_said(log, head):
    """H5."""
    turn = says(log(ECHO.format(" gated", "ok", "ok")), {"a": "from a", "b": "from b"}, {"a": "a hook's word"})
    assert check(head(), turn) == []


def test_two_bodies_may_say_the_same(log, head):
    turn = says(log(ECHO.format("", "ok", "ok")), {"a": "done", "b": "done"}, {"a": "done", "b": "done"})
    assert check(head(), turn) == []
