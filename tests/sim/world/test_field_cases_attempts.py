"""Field cases of responses that fail, played from blocks and from bytes with the calls of their files."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from executor.events import Kind
from scenarios import Scenario, ToolSpec
from sim import Run, check, simulate

INPUTS = Path(__file__).parents[4] / "shared" / "bugs" / "inputs"

pytestmark = pytest.mark.skipif(not INPUTS.is_dir(), reason="the field cases lie outside the project")


def case(number: str) -> dict[str, Any]:
    words: dict[str, Any] = yaml.safe_load((INPUTS / f"{number}.yaml").read_text("utf-8"))
    return words


def play(words: dict[str, Any], level: str, engine: Any = "streaming") -> Run:
    """Play a case; its file tells of tools only what makes them safe or not, and does not name all of them."""
    told = {name: ToolSpec(safe=tool["safe"]) for name, tool in words.get("tools", {}).items()}
    parts = {key: words[key] for key in ("attempts", "calls", "events") if key in words}
    calls = [call for part in (words, *words.get("attempts", ())) for call in part.get("calls", ())]
    tools = {call["tool"]: ToolSpec(safe=False) for call in calls} | told
    run = simulate(Scenario.model_validate({"tools": tools, "stream": {"level": level}, **parts}), engine)
    assert check(run) == []
    return run


def calls_of(run: Run, kind: Kind) -> list[str | None]:
    return [event.call for event in run.events if event.kind is kind]


@pytest.mark.parametrize("level", ["blocks", "bytes"])
def test_what_ran_before_a_fallback_is_told_before_the_request_is_repeated(level: str) -> None:
    """B066, A8: the deployment that had been made is withdrawn and named, the read is stopped, then it is retried."""
    words = case("B066")
    expected, run = words["expect"], play(words, level)
    [discard] = [event for event in run.events if event.kind is Kind.DISCARD]
    again = [event.t_ns for event in run.events if event.kind is Kind.RESPONSE_STARTED][1]
    assert discard.detail["withdrawn"] == expected["withdrawn"]
    assert discard.detail["effects"] == expected["reported_before_retry"]
    assert discard.t_ns <= again
    kept = [result for result in run.results if result.call_id not in expected["withdrawn"]]
    assert [[result.call_id, result.outcome.value] for result in kept] == expected["final_results"]
    ended_well = [event.call for event in run.events if event.kind is Kind.LEFT and event.detail["ended"] == "ok"]
    assert ended_well == expected["log"]
    left = {event.call for event in run.events if event.kind is Kind.LEFT and event.t_ns <= again}
    assert {"a1", "a2"} - left == set(expected["running_after_discard"])


@pytest.mark.parametrize("level", ["blocks", "bytes"])
@pytest.mark.parametrize("engine", ["streaming", "batch", "serial"])
def test_a_retry_leaves_no_unanswered_call_of_the_attempt_before(level: str, engine: str) -> None:
    """B014, P1: the history has the second attempt's calls and their results only."""
    words = case("B014")
    run = play(words, level, engine)
    asked, answered = run.messages
    ids = {
        "calls": [block["id"] for block in asked["content"]],
        "results": [block["tool_use_id"] for block in answered["content"] if block["type"] == "tool_result"],
    }
    assert ids == words["expect"]["history_ids"]


@pytest.mark.parametrize("level", ["blocks", "bytes"])
@pytest.mark.parametrize(("engine", "mode"), [("streaming", "stream"), ("batch", "batch")])
def test_of_a_response_cut_in_its_second_block_the_first_ran_only_while_streaming(
    level: str, engine: str, mode: str
) -> None:
    """B069, W3: the block that was cut never runs."""
    words = case("B069")
    assert calls_of(play(words, level, engine), Kind.ENTERED) == words["expect"][mode]["started"]
