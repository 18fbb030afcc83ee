"""P3: where results stand in the messages of a run, judged by the linter for histories."""

from dataclasses import replace

from scenarios import Call, Scenario
from sim import check, simulate
from sim.world import judge_run

RUN = simulate(Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", takes="2s")]))


def test_a_run_s_messages_are_judged_beside_its_log() -> None:
    verdict = judge_run(RUN)
    assert verdict.violations == ()
    assert "P3" in verdict.rules
    assert "P3" not in verdict.skipped


def test_a_result_behind_something_else_breaks_p3_at_the_turns_end() -> None:
    said, answer = RUN.messages
    first = {"type": "text", "text": "so"}
    wrong = replace(RUN, messages=(said, {**answer, "content": [first, *answer["content"]]}))
    (violation,) = check(wrong)
    assert (violation.rule, violation.calls, violation.at_ns) == ("P3", ("a",), 2_000_000_000)


def test_a_run_without_messages_says_so() -> None:
    assert judge_run(replace(RUN, messages=())).skipped["P3"] == "no messages were assembled"
