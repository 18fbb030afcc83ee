"""The importer on every recorded Claude Code session at hand, against counts taken in another way."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from scenarios.traces import RecordedTurn, read_trace


def sessions(recorded: Path) -> list[Path]:
    return sorted((recorded / "claude_transcript").iterdir())


def turns(recorded: Path) -> Iterator[RecordedTurn]:
    for path in sessions(recorded):
        yield from read_trace(path)


def distinct_call_ids(path: Path) -> set[str]:
    """All ids of ``tool_use`` objects anywhere in a message's content, found in the text without looking at lines."""
    text, decoder = path.read_text(encoding="utf-8"), json.JSONDecoder()
    ids: set[str] = set()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except ValueError:
            end = at + 1
        else:
            for record in value.get("loglines", [value]):
                if (record.get("data") or {}).get("type") == "agent_progress":
                    record = record["data"]["message"]
                message = record.get("message") if record.get("type") == "assistant" else None
                content = message.get("content") if isinstance(message, dict) else None
                ids |= {block["id"] for block in content or () if block.get("type") == "tool_use"}
        at = text.find("{", end)
    return ids


def test_every_session_imports_with_all_its_calls(recorded: Path) -> None:
    for path in sessions(recorded):
        ids = [call.id for turn in read_trace(path) for call in turn.calls]
        assert set(ids) == distinct_call_ids(path), path.name
        # This one is another program's log, which prints a call that is never answered in two places.
        assert len(ids) == len(set(ids)) or path.name == "slopus+happy__duplicate-assistant-response-2.jsonl"


def test_totals_are_those_of_the_files_at_hand(recorded: Path) -> None:
    """README 1 counts 2,160 calls, 276 parallel responses, 35 cancelled, 27 interrupts in a larger set of 26.7 MB; of
    the 18 MB that are here, PROVENANCE.tsv counts 1,580 blocks, 192 parallel responses, 20 cancelled, 20 interrupts.
    """
    relayed = relayed_call_ids(recorded)
    assert len(relayed) == 162
    found = [turn for turn in turns(recorded) if not relayed.issuperset(call.id for call in turn.calls)]
    calls = [call for turn in found for call in turn.calls]
    outcomes = Counter(str(call.outcome) for call in calls)
    listed = Counter[str]()
    rows = (recorded / "PROVENANCE.tsv").read_text(encoding="utf-8").splitlines()
    names = rows[0].split("\t")
    for row in rows[1:]:
        fields = dict(zip(names, row.split("\t"), strict=False))
        if fields["format"] == "claude_transcript":
            for name in ("tool_use", "parallel_responses", "interrupts"):
                listed[name] += int(fields[name])
    assert abs(len(calls) - listed["tool_use"]) <= 40
    assert abs(sum(len(turn.calls) > 1 for turn in found) - listed["parallel_responses"]) <= 2
    assert sum(read_all(path) for path in sessions(recorded)) == listed["interrupts"]
    assert 0.85 < outcomes["ok"] / len(calls) < 0.95
    assert set(outcomes) <= {"ok", "error", "invalid_input", "denied", "sibling_error", "user_interrupted", "None"}


def relayed_call_ids(recorded: Path) -> set[str]:
    """The ids of calls that stand in the lines of a sub-agent's progress, which the lists of the files do not count."""
    lines = (line for path in sessions(recorded) for line in path.read_text(encoding="utf-8").splitlines())
    told = [json.loads(line)["data"] for line in lines if '"agent_progress"' in line and line.startswith("{")]
    inner = [data["message"]["message"]["content"] for data in told if data.get("type") == "agent_progress"]
    return {block["id"] for blocks in inner for block in blocks if block["type"] == "tool_use"}


def read_all(path: Path) -> int:
    reader = read_trace(path)
    list(reader)
    return reader.counts.interrupts


def test_no_result_comes_before_the_last_block_in_the_batch_era(recorded: Path) -> None:
    """README 0.1: the oracle for telling the eras apart."""
    for turn in turns(recorded):
        if turn.choice.profile is not None and turn.choice.profile.engine == "batch" and turn.last_block_ns is not None:
            assert all(call.ended_ns is None or call.ended_ns >= turn.last_block_ns for call in turn.calls)


def test_only_the_streaming_era_cancels_siblings_and_up_to_2_1_45_any_tool_does(recorded: Path) -> None:
    """README 0.2 says up to 2.1.41, of what sub-agents do not relay; a read of one cancels in 2.1.45."""
    for turn in turns(recorded):
        if any(call.outcome == "sibling_error" for call in turn.calls):
            culprits = {call.tool for call in turn.calls if call.outcome == "error"}
            assert turn.choice.profile is not None
            assert turn.choice.profile.engine == "streaming"
            assert culprits == {"Bash"} or (turn.version or "") in {"2.1.32", "2.1.36", "2.1.37", "2.1.41", "2.1.45"}


def test_calls_run_between_their_arrival_and_their_end(recorded: Path) -> None:
    for turn in turns(recorded):
        for call in turn.calls:
            known = [at_ns for at_ns in (call.arrived_ns, call.started_ns, call.ended_ns) if at_ns is not None]
            assert known == sorted(known), (turn.line, call.id)


def test_exclusive_calls_of_a_turn_do_not_overlap_where_the_rule_gave_the_starts(recorded: Path) -> None:
    """S1, for what is no estimate."""
    for turn in turns(recorded):
        sure = [call for call in turn.calls if call.start_basis == "rule" and not call.estimated and not call.safe]
        for earlier, later in pairwise(sure):
            if earlier.ended_ns is not None and later.started_ns is not None:
                assert later.started_ns >= earlier.ended_ns
