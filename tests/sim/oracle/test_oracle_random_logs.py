"""Random right logs are let pass, and one wrong row in them is caught by the rule it breaks."""

import heapq
from itertools import count

from hypothesis import assume, given
from hypothesis import strategies as st

from executor.events import Event, Kind
from sim.oracle import check

KINDS = st.sampled_from(["safe", "safe", "exclusive", "unknown", "invalid"])
CALLS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), KINDS), min_size=1, max_size=8)
"""For each call: ns since the block before, ns of its body, what it is. Short spans, so that ties are frequent."""
RUNS = st.tuples(CALLS, st.integers(1, 3), st.sampled_from(["block", "response_end"]))


def header(limit, start, **more):
    options = {"max_concurrency": limit, "emission": "ordered", "start": start, "grace_ns": 5, "cascade": "never"}
    return {"engine": "by the book", "scenario": "random", "seed": 0, "tools": {}, "options": options | more}


def by_the_book(run):
    """Run calls as SPEC 2 says, one external event after the other (A11), and tell it as a log."""
    calls, limit, start = run
    events, agenda, numbers = [], [], count()
    queue, running, settled, emitted = [], [], set(), 0
    arrived_ns = 0

    def tell(kind, call=None, **detail):
        events.append(Event(now_ns, kind, call if call is None else str(call), detail))

    for number, (gap_ns, _, _) in enumerate(calls):
        arrived_ns += gap_ns
        heapq.heappush(agenda, (arrived_ns, 1, next(numbers), "block", number))
    heapq.heappush(agenda, (arrived_ns, 2, next(numbers), "response_end", None))
    open_ = start == "block"
    while agenda:
        now_ns, _, _, what, call = heapq.heappop(agenda)
        if what == "block":
            kind = calls[call][2]
            known, valid = kind != "unknown", kind != "invalid"
            told = {"known": known, "valid": valid, "safe": kind == "safe"}
            tell(Kind.BLOCK, call, tool="T", index=call, attempt=0, **told)
            if known:
                queue.append(call)
            else:
                settled.add(call)
        elif what == "response_end":
            tell(Kind.RESPONSE_ENDED, attempt=0)
            open_ = True
        else:
            tell(Kind.LEFT, call, ended="ok")
            running.remove(call)
            settled.add(call)
        while open_ and queue:
            head, alone = queue[0], calls[queue[0]][2] != "safe"
            beside = not alone and len(running) < limit and all(calls[other][2] == "safe" for other in running)
            if running and not beside:
                break
            queue.pop(0)
            if calls[head][2] == "invalid":
                settled.add(head)
                continue
            running.append(head)
            tell(Kind.ENTERED, head)
            heapq.heappush(agenda, (now_ns + calls[head][1], 0, next(numbers), "end", head))
        while emitted in settled:
            outcome = {"unknown": "unknown_tool", "invalid": "invalid_input"}.get(calls[emitted][2], "ok")
            tell(Kind.EMITTED, emitted, what="result", outcome=outcome)
            emitted += 1
    tell(Kind.TURN_ENDED, how="completed", closing=[], abandoned=[])
    return header(limit, start), events


LOGS = RUNS.map(by_the_book)

TWO_TOGETHER = [(0, 2, "safe"), (0, 2, "safe")]
PARALLEL_LOGS = st.tuples(CALLS.map(TWO_TOGETHER.__add__), st.integers(2, 3), st.just("block")).map(by_the_book)
"""Logs in which at least two bodies run at once."""


def pick(data, events, kind):
    """Draw the place of a row of some kind; logs without one are not this test's."""
    places = [place for place, event in enumerate(events) if event.kind is kind]
    assume(places)
    return data.draw(st.sampled_from(places))


def broken(head, events):
    return {(violation.rule, violation.calls[:1]) for violation in check(head, events)}


@given(LOGS)
def test_a_run_by_the_book_breaks_no_rule(run):
    assert check(*run) == []


@given(LOGS, st.data())
def test_a_dropped_result_breaks_p1(run, data):
    head, events = run
    lost = events.pop(pick(data, events, Kind.EMITTED))
    assert broken(head, events) == {("P1", (lost.call,))}


@given(LOGS, st.data())
def test_a_doubled_result_breaks_p1_and_p2(run, data):
    head, events = run
    place = pick(data, events, Kind.EMITTED)
    events.insert(place, events[place])
    assert broken(head, events) == {("P1", (events[place].call,)), ("P2", (events[place].call,))}


@given(LOGS, st.data())
def test_a_result_for_another_id_breaks_p1_and_p2(run, data):
    head, events = run
    place = pick(data, events, Kind.EMITTED)
    lost, events[place] = events[place], events[place]._replace(call="z")
    assert broken(head, events) == {("P1", (lost.call,)), ("P2", ("z",))}


@given(PARALLEL_LOGS, st.data())
def test_two_results_swapped_break_p4_or_p2_where_one_comes_before_its_block(run, data):
    head, events = run
    results = [place for place, event in enumerate(events) if event.kind is Kind.EMITTED]
    one, other = sorted(data.draw(st.lists(st.sampled_from(results), min_size=2, max_size=2, unique=True)))
    first, second = events[one], events[other]
    events[one], events[other] = first._replace(call=second.call), second._replace(call=first.call)
    has_arrived = any(event.kind is Kind.BLOCK and event.call == second.call for event in events[:one])
    assert ("P4" if has_arrived else "P2", (second.call,)) in broken(head, events)


@given(LOGS, st.data())
def test_a_body_before_its_block_breaks_s4(run, data):
    head, events = run
    early = events.pop(pick(data, events, Kind.ENTERED))
    block = next(place for place, event in enumerate(events) if event.kind is Kind.BLOCK and event.call == early.call)
    events.insert(block, early._replace(t_ns=events[block].t_ns))
    assert ("S4", (early.call,)) in broken(head, events)


@given(LOGS, st.data())
def test_a_body_entered_an_instant_too_late_breaks_s3(run, data):
    head, events = run
    place = pick(data, events, Kind.ENTERED)
    events[place:] = [event._replace(t_ns=event.t_ns + 1) for event in events[place:]]
    assert broken(head, events) == {("S3", (events[place].call,))}


@given(LOGS, st.data())
def test_a_body_that_runs_a_second_time_breaks_s7(run, data):
    head, events = run
    place = pick(data, events, Kind.LEFT)
    again = events[place]
    events[place:place] = [again, Event(again.t_ns, Kind.ENTERED, again.call, {})]
    assert ("S7", (again.call,)) in broken(head, events)


@given(PARALLEL_LOGS)
def test_more_bodies_at_once_than_the_limit_break_s5(run):
    head, events = run
    running = most = 0
    for event in events:
        running += (event.kind is Kind.ENTERED) - (event.kind is Kind.LEFT)
        most = max(most, running)
    rules = {rule for rule, _ in broken(header(most - 1, head["options"]["start"]), events)}
    assert rules == {"S5"}


@given(PARALLEL_LOGS)
def test_an_exclusive_call_that_met_another_breaks_s1_and_s2(run):
    head, events = run
    block = next(place for place, event in enumerate(events) if event.kind is Kind.BLOCK and event.call == "1")
    events[block] = events[block]._replace(detail=dict(events[block].detail) | {"safe": False})
    assert {("S1", ("1",)), ("S2", ("1",))} <= broken(head, events)


@given(LOGS)
def test_a_log_without_its_end_breaks_l1(run):
    head, events = run
    assert broken(head, events[:-1]) == {("L1", ())}


@given(LOGS, st.data())
def test_a_body_that_never_left_breaks_l3(run, data):
    head, events = run
    last = events.pop(pick(data, events, Kind.LEFT))
    assert ("L3", (last.call,)) in broken(head, events)
