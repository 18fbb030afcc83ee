"""The field cases of streams, as they lie beside the project: each behaves as its entry says."""

import json
import re
from pathlib import Path

import pytest
import yaml

from executor.wire.sse import SSEDecoder

INPUTS = Path(__file__).parents[4] / "shared" / "bugs" / "inputs"

pytestmark = pytest.mark.skipif(not INPUTS.is_dir(), reason="the field cases' inputs are not beside the project")


@pytest.fixture
def read_case(bench):
    """Read a case's bytes: whole, and in chunks of 1, 2, 3 and 7 bytes, which must all tell the same."""

    def read(name: str, start: str = "block"):
        data = (INPUTS / f"{name}.sse").read_bytes()
        readings = [bench.read(bench.cut(data, size), start) for size in (len(data), 1, 2, 3, 7)]
        assert all(reading.told == readings[0].told for reading in readings)
        return readings[0]

    return read


def kept(reading) -> list[str]:
    """What the message keeps: calls and server-side calls by their id, other blocks by their type."""
    return [part.get("id", part["type"]) for part in reading.stream.message["content"]]


def test_an_id_on_two_indexes_is_one_call(read_case) -> None:
    """B007, E11."""
    reading = read_case("B007")
    assert reading.calls == [("toolu_dup", {"command": "npm run dev"})]
    assert (kept(reading), reading.faults) == (["toolu_dup"], [(7, 1)])


def test_missing_ids_become_unique_ones(read_case) -> None:
    """B008."""
    reading = read_case("B008")
    assert reading.calls == [("msg_x1_0", {"path": "a"}), ("msg_x1_1", {"path": "b"})]
    assert kept(reading) == ["msg_x1_0", "msg_x1_1"]


def test_a_block_that_was_cut_is_neither_run_nor_kept(read_case) -> None:
    """B012, W3."""
    reading = read_case("B012")
    assert [call for call, _ in reading.calls] == kept(reading) == ["t_done"]
    assert reading.failure.error_type == "incomplete_stream"


def test_a_block_the_server_runs_passes_through(read_case) -> None:
    """B020, W2."""
    reading = read_case("B020")
    assert reading.calls == [("t1", {"path": "a"})]
    assert kept(reading) == ["srv_1", "web_search_tool_result", "t1"]
    assert reading.stream.message["content"][0]["input"] == {"query": "x"}


def test_fragments_are_parsed_together(read_case) -> None:
    """B049, W1."""
    assert read_case("B049").calls == [("t1", {"path": "a.py", "content": "x"})]


@pytest.mark.parametrize("start", ["block", "confirmed", "message_stop"])
def test_no_arguments_are_an_empty_object(read_case, start) -> None:
    """B050, W1, W5."""
    assert read_case("B050", start).calls == [("t1", {}), ("t2", {}), ("t3", {})]


def test_a_cut_off_input_is_not_repaired(read_case) -> None:
    """B052, B053, W4: kept with an empty object, its text at hand for the answer."""
    reading = read_case("B052")
    [block] = reading.blocks
    assert block.raw == '{"command":"rm -rf /tmp/scra'
    assert reading.stream.message["content"][0]["input"] == {}
    assert (reading.failure, reading.stream.stop_reason) == (None, "max_tokens")


def test_json_that_is_no_object_is_no_input(read_case) -> None:
    """B054, W4."""
    reading = read_case("B054")
    assert [block.raw for block in reading.blocks] == ['["a"]', '"a"', "NaN", '{"path":"a"} x']
    assert [part["input"] for part in reading.stream.message["content"]] == [{}] * 4


def test_invalid_json_and_valid_but_wrong_json_go_different_ways(read_case) -> None:
    """B055, W4: the first is malformed, the second is for the tool's schema to refuse."""
    malformed, wrong = read_case("B055").blocks
    assert malformed.raw == '{"keywords": Dave, "when": "1d"}'
    assert (wrong.raw, wrong.input) == (None, {"oldText": 'a","newText":"b","path":"c"}]'})


def test_an_error_event_is_a_typed_failure(read_case) -> None:
    """B056, W3."""
    reading = read_case("B056")
    assert [call for call, _ in reading.calls] == ["t1"]
    assert (reading.failure.error_type, reading.failure.retryable) == ("overloaded_error", True)


def test_an_end_without_message_stop_is_a_failure(read_case) -> None:
    """B057, W3."""
    reading = read_case("B057")
    assert (reading.failure.error_type, reading.stream.stop_reason) == ("incomplete_stream", None)


def test_interleaved_deltas_follow_their_index(read_case) -> None:
    """B059, W6."""
    reading = read_case("B059")
    assert reading.calls == [("t1", {"path": "a"}), ("t2", {"q": "x"})]
    assert kept(reading) == ["t1", "t2"]


def test_order_is_by_index_and_the_first_block_of_an_index_stays(read_case) -> None:
    """B061, W6."""
    reading = read_case("B061")
    assert reading.calls == [("t1", {"path": "a"}), ("t2", {"path": "b"})]
    assert (kept(reading), reading.faults) == (["t1", "t2"], [(8, 1)])


def test_a_character_may_be_split_between_chunks() -> None:
    """B062, W1: at every place, and byte by byte."""
    case = yaml.safe_load((INPUTS / "B062.yaml").read_text(encoding="utf-8"))
    data = bytes.fromhex(case["bytes_hex"])
    splits = [[data[:at], data[at:]] for at in range(len(data) + 1)]
    for chunks in [*splits, [bytes([byte]) for byte in data]]:
        decoder = SSEDecoder()
        [event] = [event for chunk in chunks for event in decoder.feed(chunk)]
        assert json.loads(event.data) == {"t": case["expect"]["contains"]}


def test_only_cr_and_lf_end_a_line(read_case) -> None:
    """B063, W1."""
    assert read_case("B063").calls == [("t1", {"path": "a", "text": "x\u2028y\u0085z"})]


def test_every_border_of_the_standard_is_one_and_what_is_left_is_told(read_case) -> None:
    """B064, W1."""
    reading = read_case("B064")
    assert reading.calls == [("t1", {})]
    assert reading.stream.skipped == {"ping": 1}
    assert (reading.failure, reading.faults) == (None, [(6, None)])


def test_pings_and_unknown_things_are_skipped_and_counted(read_case) -> None:
    """B065, W2."""
    reading = read_case("B065")
    assert reading.calls == [("t1", {"path": "a"})]
    assert reading.stream.skipped == {"ping": 2, "shiny_new_delta": 1, "brand_new_event": 1, "future_block": 1}


def test_the_same_block_again_in_a_finished_message_adds_nothing(bench) -> None:
    """B067: the streamed input stands."""
    rows = [json.loads(line) for line in (INPUTS / "B067.jsonl").read_text(encoding="utf-8").splitlines()]
    events = [row.get("event", row) for row in rows]
    reading = bench.read([bench.start(), *events, *bench.ends()])
    assert reading.calls == [("t1", {"path": "a"})]
    assert reading.stream.skipped == {"assistant": 1}


def test_every_case_that_is_a_stream_has_its_test() -> None:
    tested = set(re.findall(r'read_case\("(B\d{3})"', Path(__file__).read_text(encoding="utf-8")))
    assert {path.stem for path in INPUTS.glob("*.sse")} == tested
