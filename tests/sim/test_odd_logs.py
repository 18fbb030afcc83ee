"""Somebody else's event logs may say anything: nothing that reads a recording raises for it (issue 6)."""

import copy
import json
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios import Call, Scenario, ToolSpec
from scenarios.traces import TraceError, read_trace, to_scenario
from scenarios.traces.recorded_log import to_log
from sim import simulate
from sim.analysis.courses import courses
from sim.analysis.replay import judge_recorded
from sim.show.timeline import timeline

FULL = Scenario(
    tools={"Read": ToolSpec(interrupt="cancel"), "Bash": ToolSpec(safe=False, cascades=True, timeout="5s")},
    calls=[
        Call(id="a", at="500ms", takes="2s", progress=["1s"], sets={"x": 1}),
        Call(id="b", at="1s", takes="200ms", ends="error"),
        Call(id="c", tool="Bash", at="2s", takes="1s", ends="error"),
        Call(id="d", at="2500ms", takes="1s"),
    ],
    hooks=[{"name": "look", "on": "pre", "takes": "1s"}],
    permissions={"ask": ["Bash"], "answer": {"says": "allow", "after": "1s"}},
    events=[{"at": "6s", "do": "stop"}],
)
PLAIN = Scenario(calls=[Call(id="a"), Call(id="b", takes="2s", background="1s")], events=[{"at": "1s", "do": "submit"}])
LOGS = [[json.loads(line) for line in simulate(scenario).lines] for scenario in (FULL, PLAIN)]
ODD = [
    *(None, True, -1, 0, 3, 1.5, 10**30, "", "x", "ok", "a", "é\ud800"),
    *([], ["a"], [["a"]], [["a", "b"]], [None], {}, {"a": 1}, {"safe": 3}),
]


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the way to every value inside another."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, each in inner for place in ((*at, key), *places(each, (*at, key)))]


def changed(rows: list[Any], random: Random) -> list[Any]:
    """Give a log of which one value is another, or not there."""
    rows = copy.deepcopy(rows)
    *way, last = random.choice(places(rows))
    inside: Any = rows
    for key in way:
        inside = inside[key]
    if isinstance(inside, dict) and random.random() < 0.2:
        del inside[last]
    else:
        inside[last] = copy.deepcopy(random.choice(ODD))
    return rows


@settings(max_examples=max(150, settings().max_examples // 2))
@given(st.sampled_from(LOGS), st.randoms(use_true_random=False), st.integers(1, 2))
def test_whatever_a_log_says_it_is_read_judged_drawn_and_fitted_without_a_crash(
    tmp_path_factory: Any, log: list[Any], random: Random, times: int
) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "odd.jsonl"
    rows = log
    for _ in range(times):
        rows = changed(rows, random)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    try:
        turns = list(read_trace(path))
    except TraceError:
        return
    for turn in turns:
        judge_recorded(turn)
        to_scenario(turn)
        timeline(*to_log(turn))
        courses(turn)
