"""tau-bench results without times, tau2-bench simulations with them, in messages or in ticks."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scenarios.traces import RecordedTurn, read_trace

Read = Callable[..., list[RecordedTurn]]
S = 1_000_000_000


def trial(*said: dict[str, Any]) -> dict[str, Any]:
    return {"task_id": 0, "reward": 0.0, "traj": list(said), "trial": 0}


def asks(call: str) -> dict[str, Any]:
    function = {"name": "get_user", "arguments": '{"id": 1}'}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }


def says(call: str, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call, "name": "get_user", "content": content}


def test_the_beginning_of_an_output_tells_what_tau_bench_says_of_no_other_way(read: Read) -> None:
    turns = read(
        trial(
            *(asks("a"), says("a", "{}")),
            *(asks("b"), says("b", "Error: user not found")),
            *(asks("c"), says("c", "Unknown action dance")),
            *(asks("d"), says("d", "no Error here")),
        )
    )
    assert [(call.input, str(call.outcome)) for turn in turns for call in turn.calls] == [
        ({"id": 1}, "ok"),
        ({"id": 1}, "error"),
        ({"id": 1}, "unknown_tool"),
        ({"id": 1}, "ok"),
    ]


def test_trials_may_use_the_same_ids(tmp_path: Path, read: Read) -> None:
    turns = read(trial(asks("a"), says("a", "")), trial(asks("a"), 3, says("a", "")))  # type: ignore[arg-type]
    assert [[call.outcome for call in turn.calls] for turn in turns] == [["ok"], ["ok"]]
    reader = read_trace(tmp_path / "recording")
    list(reader)
    assert [damage.what for damage in reader.damage] == ["a message that is no object, skipped"]


ASKED = [{"id": "a", "name": "get_user", "arguments": {"id": 1}}, {"id": "b", "name": "refund", "arguments": {}}]
RESULTS = [
    {"id": "a", "role": "tool", "content": "{}", "error": False, "timestamp": "1970-01-01T00:00:02"},
    {"id": "b", "role": "tool", "content": "no", "error": True, "timestamp": "1970-01-01T00:00:03"},
]
AT = "1970-01-01T00:00:01"
MESSAGE = {"role": "assistant", "tool_calls": ASKED, "timestamp": AT}
FORMS: dict[str, dict[str, Any]] = {
    "messages": {"messages": [{"role": "user", "content": "hi"}, MESSAGE, *RESULTS]},
    "several at once": {"messages": [MESSAGE, {"role": "tool", "tool_messages": RESULTS}]},
    "ticks": {"ticks": [{"tick_id": 0, "timestamp": AT, "agent_tool_calls": ASKED, "agent_tool_results": RESULTS}]},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("alone", [True, False])
def test_tau2_bench_tells_when_a_response_and_each_result_was_there(form: str, alone: bool, read: Read) -> None:
    simulation = {"id": "s", "task_id": "1", "termination_reason": "user_stop", **FORMS[form]}
    (turn,) = read(simulation if alone else {"timestamp": AT, "info": {}, "tasks": [], "simulations": [simulation]})
    assert (turn.agent, turn.arrival_bound) == (None, True)
    assert [(call.id, call.arrived_ns, call.ended_ns, str(call.outcome)) for call in turn.calls] == [
        ("a", S, 2 * S, "ok"),
        ("b", S, 3 * S, "error"),
    ]


def test_the_simulated_user_has_a_conversation_of_its_own(read: Read) -> None:
    own = {"tick_id": 0, "timestamp": AT, "user_tool_calls": ASKED[:1], "user_tool_results": RESULTS[:1]}
    both = own | {"agent_tool_calls": ASKED[1:], "agent_tool_results": RESULTS[1:]}
    turns = read({"task_id": "1", "termination_reason": "user_stop", "ticks": [both]})
    assert [(turn.agent, [call.id for call in turn.calls]) for turn in turns] == [(None, ["b"]), ("user", ["a"])]
    assert [turn.emitted for turn in turns] == [("b",), ("a",)]
