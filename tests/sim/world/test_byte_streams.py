"""The response as bytes: the executor's own decoder and assembler run in the simulation (W1-W5)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executor import StreamFailure
from executor.events import Kind
from scenarios import Attempt, Call, Happening, Scenario, Stream, ToolSpec
from scenarios.strategies import retried_turns, streams, turns
from sim import OwnStage, Run, check, from_coroutine, simulate
from sim.world.judging import judge_run

ENGINES = ("streaming", "batch", "serial")


def rows(run: Run) -> list[str]:
    """The log without its header, which tells that there were bytes."""
    return run.lines[1:]


def at_ms(run: Run, kind: Kind) -> dict[str, float]:
    return {event.call: event.t_ns / 10**6 for event in run.events if event.kind is kind and event.call is not None}


def spoken(**words: object) -> Stream:
    return Stream(level="bytes", **words)  # type: ignore[arg-type]


def starting(stream: Stream, start: str, reason: str | None) -> Stream:
    """The same stream, whose blocks may start at another time and whose message ends for another reason."""
    return Stream.model_validate(stream.model_dump(by_alias=True) | {"start": start, "stop_reason": reason})


STARTS = st.sampled_from(["block", "confirmed", "message_stop"])
REASONS = st.sampled_from([None, "max_tokens", "end_turn"])


def with_inputs(scenario: Scenario) -> Scenario:
    """The same calls with inputs of some length, in which characters take one to four bytes."""
    calls = [call.model_copy(update={"input": {"path": f"{call.id}/é/漢/🦀"}}) for call in scenario.calls]
    return scenario.model_copy(update={"calls": tuple(calls)})


@settings(max_examples=max(100, settings().max_examples // 3))
@given(turns(max_calls=6).map(with_inputs), streams(), st.sampled_from(ENGINES))
def test_a_turn_is_the_same_from_bytes_in_any_cut_as_from_whole_blocks(
    scenario: Scenario, stream: Stream, engine: str
) -> None:
    """W1, W2, W6: the whole log, instant by instant; pings, unknown events, text and thinking change nothing."""
    whole = simulate(scenario, engine)
    cut = simulate(scenario.model_copy(update={"stream": stream}), engine)
    assert rows(cut) == rows(whole)
    assert [result._replace(message_id=None) for result in cut.results] == list(whole.results)
    assert (cut.context, cut.trouble) == (whole.context, None)


@settings(max_examples=max(100, settings().max_examples // 3))
@given(retried_turns(), streams(), st.sampled_from(ENGINES))
def test_attempts_are_the_same_from_bytes_as_from_whole_blocks(scenario: Scenario, stream: Stream, engine: str) -> None:
    """W3, A8: the real decoder's failures lead where the failures of whole blocks do."""
    whole = simulate(scenario, engine)
    cut = simulate(scenario.model_copy(update={"stream": stream}), engine)
    assert rows(cut) == rows(whole)
    assert cut.trouble is None


@settings(max_examples=max(100, settings().max_examples // 3))
@given(turns(max_calls=5).map(with_inputs) | retried_turns(), st.builds(starting, streams(), STARTS, REASONS))
def test_turns_from_bytes_keep_every_rule_under_every_engine(scenario: Scenario, stream: Stream) -> None:
    """A8, P1, S1, F6 and all others, in one attempt and in several, whenever a block may start (W5)."""
    for engine in ENGINES:
        run = simulate(scenario.model_copy(update={"stream": stream}), engine)
        assert run.trouble is None
        assert check(run) == [], run.timeline()


def test_a_turn_from_bytes_is_judged_by_the_reference_model_unless_a_rate_or_the_start_decides_its_instants() -> None:
    """T1: the model knows nothing of bytes, and need not."""
    calls = [Call(id="a", at="1s", takes="1s"), Call(id="b", at="2s")]
    cut, paced = spoken(chunks=3, text=2, pings="300ms"), spoken(rate=5)
    assert "T1" not in judge_run(simulate(Scenario(stream=cut, calls=calls))).skipped
    assert "T1" in judge_run(simulate(Scenario(stream=paced, calls=[Call(id="a")]))).skipped
    assert "T1" in judge_run(simulate(Scenario(stream=cut, calls=[Call(id="a", raw=" ")]))).skipped
    assert "T1" in judge_run(simulate(Scenario(stream=spoken(start="confirmed"), calls=calls))).skipped


READ_TWICE = [Call(id="a", at="1s", raw=""), Call(id="b", at="2s", takes="1s", raw="")]


@pytest.mark.parametrize(
    ("start", "reason", "entered"),
    [
        ("block", None, {"a": 2000, "b": 3000}),
        ("confirmed", None, {"a": 2000, "b": 3000}),
        ("message_stop", None, {"a": 3000, "b": 3000}),
        ("block", "max_tokens", {"a": 2000}),
    ],
)
def test_a_block_without_input_waits_until_it_cannot_be_cut_off(
    start: str, reason: str | None, entered: dict[str, float]
) -> None:
    """W5: for the next block, or for a stop reason that is not ``max_tokens``."""
    run = simulate(
        Scenario(
            stream=spoken(start=start, stop_reason=reason),
            calls=READ_TWICE,
            events=[Happening(at="3s", do="stream_end")],
        )
    )
    assert at_ms(run, Kind.ENTERED) == entered
    assert check(run) == []


@pytest.mark.parametrize(("start", "entered"), [("block", [1000, 2000]), ("confirmed", [2000, 3000])])
def test_with_confirmed_starts_every_block_waits_for_the_stream_to_go_on(start: str, entered: list[float]) -> None:
    """W5."""
    calls = [Call(id="a", at="1s", takes="3s", input={"x": 1}), Call(id="b", at="2s", input={"x": 2})]
    run = simulate(Scenario(stream=spoken(start=start), calls=calls, events=[{"at": "3s", "do": "stream_end"}]))
    assert list(at_ms(run, Kind.ENTERED).values()) == entered
    assert run.header["options"]["start"] == start


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("level", ["blocks", "bytes"])
def test_a_call_whose_input_is_no_json_object_is_answered_and_never_runs(engine: str, level: str) -> None:
    """W4: alike from bytes and from whole blocks."""
    calls = [Call(id="a", raw='{"path": "a.t'), Call(id="b", raw="[1]", at="1s"), Call(id="c", raw="  ", at="2s")]
    run = simulate(Scenario(stream=Stream(level=level), calls=calls), engine)  # type: ignore[arg-type]
    assert [(result.call_id, result.outcome.value, result.started) for result in run.results] == [
        ("a", "invalid_input", False), ("b", "invalid_input", False), ("c", "ok", True),
    ]  # fmt: skip
    assert check(run) == []


@pytest.mark.parametrize("lines", ["lf", "crlf", "cr"])
def test_byte_by_byte_too_a_block_is_complete_at_its_own_instant_and_not_before(lines: str) -> None:
    """W1: with CRLF an event is over at the CR of its blank line, so its line feed does not come alone."""
    calls = [Call(id="a", at="1s", input={"x": 1}), Call(id="b", at="2s", input={"x": 2})]
    run = simulate(Scenario(stream=spoken(chunks=1, lines=lines), calls=calls))
    assert at_ms(run, Kind.BLOCK) == {"a": 1000, "b": 2000}


def test_what_a_body_is_given_is_what_was_read_from_the_bytes() -> None:
    """W1, P5: each call its own input, from pieces of three bytes."""
    given_to: dict[str, object] = {}

    async def curious(stage: OwnStage) -> None:
        async for block in stage.blocks():
            given_to[block.id] = dict(block.input)
            stage.emit(await stage.call(block))

    calls = [Call(id=name, at="1s", input={"path": name * 5, "lines": [1, None, "漢字🦀"]}) for name in "abc"]
    run = simulate(Scenario(stream=spoken(chunks=3, interleaved=True), calls=calls), curious)
    assert given_to == {call.id: call.input for call in calls}
    assert check(run) == []


@pytest.mark.parametrize("level", ["blocks", "bytes"])
def test_an_executor_of_ones_own_may_ask_again(level: str) -> None:
    """A8: it is told of the failure, and asks for the second attempt by its number."""

    async def persistent(stage: OwnStage) -> None:
        try:
            async for block in stage.blocks():
                await stage.call(block)
        except StreamFailure as failure:
            told.append(failure.error_type)
            stage.give_up()
            async for block in stage.blocks(1):
                stage.emit(await stage.call(block))

    told: list[str] = []
    attempts = [
        Attempt(calls=[Call(id="a")], events=[Happening(at="1s", do="stream_error", error="overloaded_error")]),
        Attempt(after="1s", calls=[Call(id="b", takes="1s")]),
    ]
    again = from_coroutine(persistent, supports=["attempts"])
    run = simulate(Scenario(stream=Stream(level=level), attempts=attempts), again)  # type: ignore[arg-type]
    assert (told, [result.call_id for result in run.results], run.makespan_s) == (["overloaded_error"], ["b"], 3.0)
    assert check(run) == []


@pytest.mark.parametrize("error", ["eof", "gone"])
@given(stream=streams())
@settings(max_examples=60)
def test_bytes_that_break_off_within_an_event_fail_as_whole_blocks_do(error: str, stream: Stream) -> None:
    """W3, B052, B064: the half event is left out, and the call in it never runs."""
    calls = [
        Call(id="a", takes="100ms", input={"path": "a.ts"}),
        Call(id="b", at="200ms", input={"path": "b.ts"}, cut=True),
    ]
    ends = Happening(at="1s", do="stream_error", error=error)
    scenario = Scenario(attempts=[Attempt(calls=calls, events=[ends]), Attempt(calls=[Call(id="c")])])
    cut = simulate(scenario.model_copy(update={"stream": stream}))
    assert rows(cut) == rows(simulate(scenario))
    assert [result.call_id for result in cut.results] == ["a", "c"]


@pytest.mark.parametrize(("engine", "started"), [("streaming", ["w1"]), ("batch", [])])
@pytest.mark.parametrize("level", ["blocks", "bytes"])
def test_a_block_that_is_cut_off_never_runs(engine: str, started: list[str], level: str) -> None:
    """W3, B069: the first block had started while streaming; in the batch nothing had."""
    run = simulate(
        Scenario(
            tools={"Write": ToolSpec(safe=False)},
            stream=Stream(level=level),  # type: ignore[arg-type]
            calls=[
                Call(id="w1", tool="Write", input={"path": "a"}, takes="100ms"),
                Call(id="w2", tool="Write", input={"path": "b"}, at="300ms", cut=True),
            ],
            events=[Happening(at="400ms", do="stream_error", error="eof")],
        ),
        engine,  # type: ignore[arg-type]
    )
    assert list(at_ms(run, Kind.ENTERED)) == started
    assert list(at_ms(run, Kind.BLOCK)) == ["w1"]
    assert [event.detail["how"] for event in run.events if event.kind is Kind.TURN_ENDED] == ["failed"]


def test_with_a_rate_the_instants_come_from_the_tokens() -> None:
    """Text of 2 tokens, then an input of 2: at 10 a second from 500 ms on the block is complete at 800 ms."""
    calls = [Call(id="a", takes="1s", input={"x": 1}), Call(id="b", takes="100ms", input={"y": 2})]
    for level in ("blocks", "bytes"):
        stream = Stream(level=level, rate=10, first_token="500ms", thinking=3, text=2)  # type: ignore[arg-type]
        run = simulate(Scenario(stream=stream, calls=calls))
        assert at_ms(run, Kind.BLOCK) == {"a": 1100, "b": 1500}
        assert [event.t_ns / 10**6 for event in run.events if event.kind is Kind.RESPONSE_ENDED] == [1600]
        assert run.makespan_s == 2.1


def test_a_stall_moves_all_that_was_due_from_then_on() -> None:
    stalls = [{"at": "150ms", "takes": "1s"}, {"at": "1s", "takes": "500ms"}]
    stream = spoken(rate=10, stalls=stalls)
    calls = [Call(id="a", input={"x": 1}), Call(id="b", input={"x": 2})]
    # Tokens would come at 0, 100, 200 and 300 ms; the second stall falls into the first one's time.
    assert at_ms(simulate(Scenario(stream=stream, calls=calls)), Kind.BLOCK) == {"a": 100, "b": 1800}


def test_jitter_is_drawn_from_a_stream_of_its_own() -> None:
    """Another seed, other instants; another cut of the bytes, the same."""

    def instants(seed: int, **words: object) -> dict[str, float]:
        stream = spoken(rate=10, jitter={"uniform": ["0ms", "50ms"]}, **words)
        calls = [Call(id="a", takes={"uniform": [0, 1]}, input={"x": 1}), Call(id="b", input={"x": 2})]
        return at_ms(simulate(Scenario(stream=stream, calls=calls), seed=seed), Kind.BLOCK)

    assert instants(1) == instants(1, chunks="random", pings="70ms") != instants(2)


@given(turns(max_calls=4, without=["stop", "submit", "discard", "stream_error", "late_end"]), streams(paced=True))
@settings(max_examples=100)
def test_a_paced_response_keeps_every_rule_and_its_instants_do_not_depend_on_the_cut(
    scenario: Scenario, stream: Stream
) -> None:
    """W1, and whatever check() knows."""
    calls = [call.model_copy(update={"at_ns": 0}) for call in scenario.calls]
    whole = stream.model_copy(update={"chunks": "whole", "pings_ns": None})
    logs = []
    for one in (stream, whole):
        run = simulate(scenario.model_copy(update={"calls": tuple(calls), "stream": one}))
        assert (run.trouble, check(run)) == (None, [])
        logs.append(run.lines)
    assert logs[0] == logs[1]
