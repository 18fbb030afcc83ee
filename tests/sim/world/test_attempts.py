"""Several attempts at one response: back-off, withdrawal, what still runs, and when nobody asks again (A8, W3)."""

from typing import Any

import pytest

from executor.events import Kind
from scenarios import Attempt, Call, Options, Scenario, Stream, ToolSpec
from sim import Run, check, simulate

ENGINES = ("streaming", "batch", "serial")
EDIT = ToolSpec(safe=False)


def attempt(*calls: Call, fails: str | None = None, at: str = "500ms", after: str = "0s") -> Attempt:
    end: dict[str, Any] = {"at": at, "do": "stream_error", "error": fails}
    return Attempt(after=after, calls=calls, events=[end] if fails else [])


def scenario(*attempts: Attempt, level: str = "bytes", **words: Any) -> Scenario:
    tools = {"Read": ToolSpec(), "Edit": EDIT}
    return Scenario(tools=tools, attempts=attempts, stream=Stream(level=level), **words)


def outside(run: Run) -> list[str]:
    """The log in short: milliseconds, kind, call or attempt."""
    told = []
    for event in run.events:
        if event.kind in (Kind.QUEUED, Kind.ADMITTED, Kind.COMPLETED, Kind.YIELDED, Kind.CONTEXT):
            continue
        about = event.call or event.detail.get("attempt", event.detail.get("how"))
        told.append(f"{event.t_ns // 10**6} {event.kind} {about}")
    return told


@pytest.mark.parametrize("level", ["blocks", "bytes"])
def test_a_failed_response_is_withdrawn_and_asked_for_again_after_its_back_off(level: str) -> None:
    """A8: what was handed over is named, instants of the second attempt count from its request."""
    run = simulate(
        scenario(
            attempt(Call(id="a", takes="100ms"), Call(id="b", takes="9s", at="200ms"), fails="overloaded_error"),
            attempt(Call(id="c", at="100ms", takes="100ms"), after="1s"),
            level=level,
        )
    )
    assert outside(run) == [
        "0 response_started 0",
        "0 block a",
        "0 entered a",
        "100 left a",
        "100 emitted a",
        "200 block b",
        "200 entered b",
        "500 response_failed 0",
        "500 discard 0",
        "500 signalled b",
        "500 left b",
        "1500 response_started 1",
        "1600 block c",
        "1600 entered c",
        "1600 response_ended 1",
        "1700 left c",
        "1700 emitted c",
        "1700 turn_ended completed",
    ]
    [discard] = [event.detail for event in run.events if event.kind is Kind.DISCARD]
    assert discard == {"attempt": 0, "withdrawn": ["a"], "effects": []}
    assert check(run) == []


@pytest.mark.parametrize(("stubborn", "asked_ms"), [("no", 500), ("signal", 600), ("cancel", 700)])
def test_the_next_attempt_is_asked_for_when_the_calls_of_the_last_have_settled(stubborn: Any, asked_ms: int) -> None:
    """A8, A9, S1: exclusivity holds across the fallback; a body that resists holds it up for twice the grace."""
    run = simulate(
        scenario(
            attempt(
                Call(id="a", takes="650ms" if stubborn == "cancel" else "9s", stubborn=stubborn, tool="Edit"),
                fails="eof",
            ),
            attempt(Call(id="b", tool="Edit", takes="100ms")),
            options=Options(grace="100ms"),
        )
    )
    started = [event.t_ns // 10**6 for event in run.events if event.kind is Kind.RESPONSE_STARTED]
    assert started == [0, min(asked_ms, 650)]
    entered = {event.call: event.t_ns // 10**6 for event in run.events if event.kind is Kind.ENTERED}
    assert entered == {"a": 0, "b": min(asked_ms, 650)}
    assert check(run) == []


def test_the_next_attempt_begins_with_the_context_that_the_turn_began_with() -> None:
    """A8, C1: what the failed one's calls set is gone."""
    first = attempt(Call(id="a", tool="Edit", sets={"x": 1}), Call(id="b", at="100ms", takes="100ms"), fails="gone")
    run = simulate(scenario(first, attempt(Call(id="c", tool="Edit", sets={"y": 2}), Call(id="d"))))
    seen = {event.call: event.detail.get("sees") for event in run.events if event.kind is Kind.ENTERED}
    assert seen == {"a": None, "b": {"x": 1}, "c": None, "d": {"y": 2}}
    assert dict(run.context) == {"y": 2}
    assert check(run) == []


def test_an_exclusive_body_that_nobody_can_stop_poisons_the_retry() -> None:
    """A9, S1: nothing starts beside it; the rest is answered."""
    run = simulate(
        scenario(
            attempt(Call(id="a", takes="9s", stubborn="cancel", tool="Edit"), fails="gone"),
            attempt(Call(id="b", tool="Edit", takes="100ms")),
            options=Options(grace="100ms"),
        )
    )
    assert [event.call for event in run.events if event.kind is Kind.ENTERED] == ["a"]
    assert [(result.call_id, result.started) for result in run.results] == [("b", False)]
    assert check(run) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("level", ["blocks", "bytes"])
def test_an_invalid_request_is_never_asked_for_again(engine: Any, level: str) -> None:
    """W3: asking again cannot help, so the second attempt never comes."""
    run = simulate(scenario(attempt(fails="invalid_request_error"), attempt(Call(id="b")), level=level), engine)
    assert outside(run)[-3:] == ["500 response_failed 0", "500 discard 0", "500 turn_ended failed"]
    assert run.results == ()


@pytest.mark.parametrize("engine", ENGINES)
def test_when_all_attempts_have_failed_the_turn_ends_without_a_message(engine: Any) -> None:
    """A8: retries used up, the partial message is dropped whole."""
    failing = [attempt(Call(id=name, takes="100ms"), fails="api_error") for name in "abc"]
    run = simulate(scenario(*failing), engine)
    failed = [
        (event.t_ns // 10**6, event.detail["attempt"]) for event in run.events if event.kind is Kind.RESPONSE_FAILED
    ]
    assert failed == [(500, 0), (1000, 1), (1500, 2)]
    assert (run.events[-1].detail["how"], run.messages, check(run)) == ("failed", (), [])


def test_nothing_is_emitted_after_the_discard_however_slow_the_consumer() -> None:
    """A8, F6: a result that was ready and not taken is gone."""
    run = simulate(
        scenario(
            attempt(Call(id="a"), Call(id="b", at="100ms"), fails="gone"),
            attempt(Call(id="c", at="100ms")),
            consumer={"takes": "1s"},
        )
    )
    emitted = [(event.t_ns // 10**6, event.call) for event in run.events if event.kind is Kind.EMITTED]
    assert emitted == [(0, "a"), (1100, "c")]
    assert check(run) == []


def test_the_client_may_give_an_attempt_up_at_the_attempts_own_instant() -> None:
    """A8: the second attempt is given up 300 ms after its request."""
    given_up = Attempt(after="1s", calls=[Call(id="b", takes="9s")], events=[{"at": "300ms", "do": "discard"}])
    run = simulate(scenario(attempt(fails="gone"), given_up, attempt(Call(id="c"))))
    discards = [(event.t_ns // 10**6, event.detail["attempt"]) for event in run.events if event.kind is Kind.DISCARD]
    assert discards == [(500, 0), (1800, 1)]
    assert [result.call_id for result in run.results] == ["c"]


def test_a_discard_of_an_attempt_that_is_over_touches_no_later_one() -> None:
    """A8."""
    first = Attempt(events=[{"at": "100ms", "do": "stream_error"}, {"at": "200ms", "do": "discard"}])
    run = simulate(scenario(first, attempt(Call(id="b", takes="1s"))))
    assert [event.detail["attempt"] for event in run.events if event.kind is Kind.DISCARD] == [0]


def test_the_header_says_what_the_scenario_uses() -> None:
    header = simulate(scenario(attempt(fails="gone"), attempt())).header
    assert (header["features"], header["options"]["retries"]) == (["attempts", "bytes"], 1)
    assert "features" not in simulate(Scenario()).header
