"""The good executor that the known-bad ones differ from is good: clean under the oracle, and equal to ours."""

import pytest
from defects import engine_of
from plain import Plain

from executor import StreamingToolExecutor
from executor.events import Kind
from scenarios import Scenario, dump
from sim import OwnStage, Run, check, from_object, simulate

PLAIN = engine_of(Plain)
BODIES = (Kind.ENTERED, Kind.SIGNALLED, Kind.LEFT)


class Ours(StreamingToolExecutor):
    """Our own executor, by the door for everybody else's."""

    def __init__(self, stage: OwnStage) -> None:
        super().__init__(stage.tools, options=stage.options)

    @property
    def abandoned(self) -> tuple[str, ...]:
        return self.report.abandoned


def told(run: Run) -> tuple[object, object]:
    """What became of a turn: what happened to its bodies when, and its results in order."""
    rows = [(event.t_ns, event.kind, event.call) for event in run.events if event.kind in BODIES]
    return rows, [(result.call_id, result.outcome) for result in run.results]


def test_the_plain_executor_keeps_every_rule_and_does_what_ours_does(corpus: list[Scenario]) -> None:
    for turn in corpus:
        run = simulate(turn, PLAIN)
        assert run.trouble is None
        assert check(run) == [], run.timeline()
        assert told(run) == told(simulate(turn)), dump(turn)


def test_our_executor_keeps_every_rule_by_the_door_for_others_too(corpus: list[Scenario]) -> None:
    engine = from_object(Ours, supports={"consumer", "cascade", "limit", "progress"})
    for turn in corpus:
        if not engine.lacks(turn) and not any(event.do == "stream_error" for event in turn.events):
            run = simulate(turn, engine)
            assert check(run) == [], run.timeline()
            assert told(run) == told(simulate(turn)), dump(turn)


@pytest.mark.parametrize("word", ["stop", "submit", "discard"])
def test_a_class_with_methods_for_what_the_user_does_is_told_of_it(word: str) -> None:
    heard: list[str] = []

    class Listening(Plain):
        def stop(self) -> None:
            heard.append("stop")
            super().stop()

        def submit(self, *, force: bool) -> None:
            heard.append("submit")
            super().submit(force=force)

        def discard(self) -> None:
            heard.append("discard")
            super().discard()

    turn = Scenario(calls=[{"id": "a", "takes": "1s"}], events=[{"at": "500ms", "do": word}])
    run = simulate(turn, Listening)
    assert heard == [word]
    assert check(run) == []
