"""Every recorded file at hand is imported: how many of which source, and what was found in them."""

from collections import Counter
from pathlib import Path

from scenarios.traces import read_trace

FOLDERS = {"gemini_cli": "gemini", "gemini_stream": "gemini"}

FOUND = {
    # source: files, responses with calls, calls, calls without a result, damages
    "aisdk_ui_stream": (2, 2, 2, 1, 0),
    "anthropic_sse": (49, 29, 32, 30, 2),
    "claude_stream_json": (4, 6, 7, 0, 0),
    "codex_exec_json": (8, 11, 11, 0, 0),
    "codex_rollout": (18, 779, 1345, 6, 1),
    "copilot_events": (2, 53, 61, 0, 0),
    "gemini_cli": (18, 38, 38, 0, 1),
    "gemini_stream": (53, 79, 100, 100, 0),
    "inspect_eval": (20, 10, 10, 1, 0),
    "langfuse_trace": (14, 6, 9, 0, 0),
    "openai_stream": (39, 31, 35, 19, 2),
    "opencode": (3, 1, 1, 0, 0),
    "openhands": (1, 103, 103, 0, 0),
    "pi_agent": (2, 1, 1, 0, 0),
    "swe_agent_traj": (15, 144, 144, 0, 0),
    "tau2_bench": (2, 0, 0, 0, 0),
    "tau_bench": (1, 168, 168, 0, 8),
}
"""Beside ``claude_transcript``, which has tests of its own. Streams of an API hold no results. The damages: blocks that
a recording cuts off, two lines that miss their last bracket, ids that a benchmark's model gave twice, and in hand-made
files a call that stands there twice and one without an id.
"""


def test_every_file_of_a_known_source_is_imported_with_all_it_holds(recorded: Path) -> None:
    found: dict[str, Counter[str]] = {}
    for path in sorted(recorded.glob("*/*")):
        if path.parent.name == "claude_transcript":
            continue
        reader = read_trace(path)
        assert FOLDERS.get(reader.format, reader.format) == path.parent.name, path.name
        turns = list(reader)
        calls = [call for turn in turns for call in turn.calls]
        found.setdefault(reader.format, Counter()).update(
            files=1,
            turns=len(turns),
            calls=len(calls),
            missing=sum(call.outcome is None for call in calls),
            damage=len(reader.damage),
        )
        assert reader.strays == []
    names = ("files", "turns", "calls", "missing", "damage")
    assert {source: tuple(counts[name] for name in names) for source, counts in found.items()} == FOUND


def test_calls_of_every_source_run_between_their_arrival_and_their_end(recorded: Path) -> None:
    for source in FOUND:
        for path in sorted((recorded / FOLDERS.get(source, source)).iterdir()):
            for turn in read_trace(path):
                for call in turn.calls:
                    known = [at_ns for at_ns in (call.arrived_ns, call.started_ns, call.ended_ns) if at_ns is not None]
                    assert known == sorted(known), (path.name, turn.line, call.id)
