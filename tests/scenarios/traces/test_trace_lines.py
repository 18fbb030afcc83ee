"""Damaged lines: what is whole is used, what is not is reported by line and byte offset (B085-B088, B098, B099)."""

import io
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scenarios.traces import Damage, read_trace
from scenarios.traces.findings import Findings
from scenarios.traces.lines import RecordReader
from scenarios.traces.repair import mend

A = b'{"type":"user","sessionId":"s","n":1}'
B = b'{"type":"user","sessionId":"s","n":2}'


def read(data: bytes) -> tuple[list[tuple[int, int, object]], Findings]:
    findings = Findings()
    records = [
        (record.line, record.offset, record.value.get("n")) for record in RecordReader(io.BytesIO(data), findings)
    ]
    return records, findings


def test_good_lines_are_given_with_their_line_and_byte_offset_and_nothing_is_reported() -> None:
    records, findings = read(A + b"\n" + B + b"\n")
    assert records == [(1, 0, 1), (2, len(A) + 1, 2)]
    assert findings.damage == []
    assert findings.counts.lines == 2


def test_a_last_line_without_a_newline_is_whole() -> None:
    assert read(A + b"\n" + B) == read(A + b"\n" + B + b"\r\n")


def test_a_cut_last_line_is_reported_with_its_place_and_the_lines_before_it_are_used(
    field_case: Callable[[str], Path],
) -> None:
    """B085."""
    reader = read_trace(field_case("B085"))
    (turn,) = reader
    assert [call.id for call in turn.calls] == ["t1"]
    (damage,) = reader.damage
    assert (damage.line, damage.byte_offset) == (4, 1055)
    assert damage.what.startswith("the last line is cut after 60 characters: ")


def test_a_torn_record_loses_only_itself_and_two_whole_ones_on_a_line_are_two_records(
    field_case: Callable[[str], Path],
) -> None:
    """B086."""
    reader = read_trace(field_case("B086"))
    (turn,) = reader
    assert [(call.id, call.outcome) for call in turn.calls] == [("t1", "ok")]
    assert reader.damage == [
        Damage(2, 241, "a torn record of 47 characters before a whole one"),
        Damage(3, 767, "2 records on one line, all read"),
    ]
    assert reader.counts.responses == 2


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (A[:20] + B, [2]),
        (A[:20] + A + B, [1, 2]),
        (A + B[:20] + B, [1, 2]),
        (A + B[:20], [1]),
        (A[:20] + A + B[:20], [1]),
        (A + b" " + B, [1, 2]),
        (b'{"message":{"usage":{"a":1},"content":[{"type":"text","text":"cut' + A, [1]),
        (A + b"}", [1]),
        (A + b"x", [1]),
        (A[:-1], []),
    ],
)
def test_every_whole_record_of_a_line_is_found_and_no_inner_object_passes_for_one(
    line: bytes, found: list[int]
) -> None:
    """B086: torn before, between and after whole records."""
    values, faults = mend(line)
    assert [value["n"] for value in values] == found
    assert faults


def test_a_line_after_a_torn_one_that_ends_in_an_inner_object_yields_no_record() -> None:
    values, faults = mend(b'{"type":"assistant","message":{"content":[{"type":"text","text":"x"}')
    assert values == []
    assert len(faults) == 1


def test_runs_of_nul_bytes_are_skipped_even_before_a_good_object_on_their_line(
    field_case: Callable[[str], Path],
) -> None:
    """B087."""
    reader = read_trace(field_case("B087"))
    (turn,) = reader
    assert turn.calls[0].outcome == "ok"
    assert reader.damage == [Damage(3, 720, "64 NUL bytes, skipped"), Damage(4, 1119, "32 NUL bytes, skipped")]
    assert reader.counts.responses == 2


def test_malformed_blank_wrong_and_unknown_lines_in_the_middle_are_counted_apart(
    field_case: Callable[[str], Path],
) -> None:
    """B088."""
    reader = read_trace(field_case("B088"))
    (turn,) = reader
    assert turn.calls[0].outcome == "ok"
    assert [(damage.line, damage.what.split(",")[0]) for damage in reader.damage] == [
        (3, "not whole JSON"),
        (5, "valid JSON"),
        (6, "valid JSON"),
        (7, "valid JSON"),
    ]
    assert reader.counts.blank == 1
    assert reader.counts.unknown_types == {"brand-new-kind": 1}
    assert reader.counts.records == 5


def test_a_line_of_twelve_megabytes_is_read_whole_in_well_under_a_second(tmp_path: Path) -> None:
    """B098."""
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 12_000_000}}
    long_line = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"role": "user", "content": [image]}}
    path = tmp_path / "image.jsonl"
    path.write_bytes(A + b"\n" + json.dumps(long_line).encode() + b"\n" + B + b"\n")
    reader = read_trace(path)
    began_s = time.process_time()
    assert list(reader) == []
    assert time.process_time() - began_s < 1
    assert reader.counts.records == 3


def test_a_key_that_stands_twice_is_reported_and_its_last_value_taken() -> None:
    """B099."""
    records, findings = read(b'{"type":"user","n":1,"n":2}\n')
    assert records == [(1, 0, 2)]
    assert findings.damage == [Damage(1, 0, "key 'n' stands twice in one object, the last one is taken")]


def test_bytes_that_are_not_utf_8_cost_their_characters_and_not_the_line() -> None:
    records, findings = read(A[:-1] + b',"text":"caf\xe9"}\n')
    assert records == [(1, 0, 1)]
    assert findings.damage == [Damage(1, 0, "bytes that are not UTF-8, replaced")]


def test_a_byte_order_mark_is_no_damage() -> None:
    records, findings = read(b"\xef\xbb\xbf" + A + b"\n")
    assert records == [(1, 0, 1)]
    assert findings.damage == []


def test_nesting_deeper_than_the_decoder_goes_is_damage_and_no_crash() -> None:
    records, findings = read(b'{"a":' * 100_000 + b"\n" + B + b"\n")
    assert [n for _, _, n in records] == [2]
    assert [damage.line for damage in findings.damage] == [1]


def test_a_pretty_printed_file_gives_its_objects() -> None:
    data = b"".join(json.dumps(json.loads(line), indent=2).encode() + b"\n" for line in (A, B))
    records, findings = read(data)
    assert [n for _, _, n in records] == [1, 2]
    assert [line for line, _, _ in records] == [1, 6]
    assert findings.damage == []
    assert findings.layout == "pretty"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_loglines_object_and_a_list_of_records_give_their_members(indent: int | None) -> None:
    members = [json.loads(A), json.loads(B)]
    for whole in ({"loglines": members}, members):
        records, findings = read(json.dumps(whole, indent=indent).encode())
        assert [n for _, _, n in records] == [1, 2]
        assert findings.damage == []


def test_a_lone_bracket_does_not_swallow_the_good_lines_after_it() -> None:
    records, findings = read(b"{\n  half\n" + A + b"\n" + B + b"\n")
    assert records == [(3, 9, 1), (4, 9 + len(A) + 1, 2)]
    assert findings.damage == [Damage(1, 0, "2 lines from here are no whole JSON, skipped")]


def test_a_lone_bracket_before_a_good_line_is_one_line() -> None:
    assert read(b"{\n" + A + b"\n")[1].damage == [Damage(1, 0, "the line from here is no whole JSON, skipped")]


def test_a_run_of_foreign_lines_is_one_report_that_says_how_many() -> None:
    records, findings = read(b"[12:00] start\n[12:01] more\n" + A + b"\nbye\n")
    assert [n for _, _, n in records] == [1]
    assert findings.damage == [
        Damage(1, 0, "not JSON, skipped: '[12:00] start' (and 1 more such line)"),
        Damage(4, 27 + len(A) + 1, "not JSON, skipped: 'bye'"),
    ]


def test_progress_is_told_about_once_a_megabyte_and_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    line = A[:-1] + b',"message":"' + b"x" * 200_000 + b'"}\n'
    path.write_bytes(line * 12)
    told: list[tuple[int, int]] = []
    list(read_trace(path, on_progress=lambda done, total: told.append((done, total))))
    size = len(line) * 12
    assert told == [(6 * len(line), size), (12 * len(line), size), (size, size)]
