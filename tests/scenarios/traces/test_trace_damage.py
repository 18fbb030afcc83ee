"""Damage at random to valid files of every source: nothing raises, and what is still whole is read (issue 6)."""

import contextlib
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.traces import TraceError, read_trace
from scenarios.traces.containers import records
from scenarios.traces.encodings import RECODED
from scenarios.traces.findings import Findings
from scenarios.traces.model import RecordedTurn

SAMPLES = Path(__file__).parents[3] / "scenarios" / "samples"
FILES = sorted(path.relative_to(SAMPLES).as_posix() for path in [*SAMPLES.glob("*.jsonl"), *SAMPLES.glob("formats/*")])
EACH = max(100, settings().max_examples // 5)
"""Cases for each file and test: with 26 files more than 4,000 in CI, 80,000 in depth."""

JUNK = [b"\x00" * 40, b"\xff\xfe\x80", b"{", b'{"type":"us', b"]", b'"', b"garbage\n", b"\xc3", b"\r", b"\n\n", b"{}"]


def damages() -> st.SearchStrategy[tuple[str, float, float, bytes]]:
    """A kind of damage, where it is, as a share of the file, how far it reaches, and what is put there."""
    kinds = st.sampled_from(["flip", "cut", "drop", "insert", "overwrite", "glue", "repeat"])
    share = st.floats(0, 1, exclude_max=True)
    return st.tuples(kinds, share, share, st.sampled_from(JUNK) | st.binary(min_size=1, max_size=20))


def damaged(whole: bytes, damage: tuple[str, float, float, bytes]) -> tuple[bytes, int, int]:
    """Give the file with one damage, and the span of the whole file that it touched."""
    kind, share, reach, junk = damage
    at = int(share * len(whole))
    end = min(len(whole), at + 1 + int(reach * 200))
    if kind == "flip":
        return whole[:at] + bytes([whole[at] ^ (1 << int(reach * 8))]) + whole[at + 1 :], at, at + 1
    if kind == "cut":
        return whole[:at], at, len(whole)
    if kind == "drop":
        return whole[:at] + whole[end:], at, end
    if kind == "insert":
        return whole[:at] + junk + whole[at:], at, at
    if kind == "overwrite":
        end = min(len(whole), at + len(junk))
        return whole[:at] + junk + whole[end:], at, end
    if kind == "repeat":
        return whole[:end] + whole[at:], end, end
    border = whole.find(b"\n", at)
    return (whole, 0, 0) if border < 0 else (whole[:border] + whole[border + 1 :], border, border)


@pytest.mark.parametrize("name", FILES)
def test_whatever_is_damaged_nothing_raises_but_that_no_source_is_known(name: str, tmp_path_factory: Any) -> None:
    whole, path = (SAMPLES / name).read_bytes(), tmp_path_factory.mktemp("damage") / "recording"

    @settings(max_examples=EACH)
    @given(st.lists(damages(), min_size=1, max_size=4), st.sampled_from([None, None, None, "utf-16", "latin-1"]))
    def hold(several: list[tuple[str, float, float, bytes]], encoding: str | None) -> None:
        content = whole
        for damage in several:
            content = damaged(content, damage)[0] if content else content
        if encoding is not None:
            content = content.decode(errors="replace").encode(encoding, errors="replace")
        path.write_bytes(content)
        with contextlib.suppress(TraceError):
            for turn in read_trace(path):
                assert len({call.id for call in turn.calls}) == len(turn.calls)

    hold()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(".eval")])
def test_a_file_saved_in_another_encoding_of_unicode_gives_the_same_turns(
    name: str, encoding: str, tmp_path: Path
) -> None:
    """Windows shells write UTF-16 by ``>``; nothing of it is lost, and it is said."""
    other = tmp_path / name.rpartition("/")[2]
    text = (SAMPLES / name).read_text(encoding="utf-8")
    other.write_bytes(text.encode(encoding))
    whole, read = read_trace(SAMPLES / name), read_trace(other)
    assert [asked(turn) for turn in read] == [asked(turn) for turn in whole]
    noted = [damage.what for damage in read.damage if damage not in whole.damage]
    assert noted == ([] if encoding == "utf-8-sig" else [RECODED])


def test_a_mark_of_another_encoding_that_the_text_belies_is_damage_like_any_other(tmp_path: Path) -> None:
    name = next(name for name in FILES if name.endswith(".jsonl"))
    other = tmp_path / "recording"
    other.write_bytes(b"\xff\xfe" + (SAMPLES / name).read_bytes())
    read = read_trace(other)
    assert sum(1 for _ in read) == sum(1 for _ in read_trace(SAMPLES / name))
    assert RECODED not in [damage.what for damage in read.damage]


def asked(turn: RecordedTurn) -> list[tuple[Any, ...]]:
    return [(call.id, call.tool, call.arrived_ns, call.started_ns, call.ended_ns, call.outcome) for call in turn.calls]


def records_of(content: bytes, path: Path) -> Counter[str]:
    path.write_bytes(content)
    with path.open("rb") as stream:
        return Counter(json.dumps(record.value, sort_keys=True) for record in records(stream, Findings()))


def pieces(whole: bytes, name: str) -> list[tuple[int, int]]:
    """Give the span of each record in a whole file, with the border that makes it one."""
    if name.endswith(".yaml"):
        starts = [found.start() for found in re.finditer(rb"\n(?=- )", whole)]
        return list(pairwise([*starts, whole.index(b"\nversion") + 1]))
    border = rb"\n\n" if name.endswith(".sse") else rb"\n"
    return list(pairwise([0, *(found.end() for found in re.finditer(border, whole))]))


LINES = [name for name in FILES if name.endswith((".jsonl", ".sse", ".yaml"))]


@pytest.mark.parametrize("name", LINES)
def test_a_record_that_is_still_whole_is_read(name: str, tmp_path_factory: Any) -> None:
    """The first one decides what kind of file it is, so it is left alone here."""
    whole, path = (SAMPLES / name).read_bytes(), tmp_path_factory.mktemp("whole") / "recording"
    spans = pieces(whole, name)
    head = b"interactions:" if name.endswith(".yaml") else b""
    holds = {span: records_of(head + whole[slice(*span)], path) for span in spans}
    assert sum(holds.values(), Counter()) == records_of(whole, path)

    @settings(max_examples=EACH)
    @given(damages())
    def hold(damage: tuple[str, float, float, bytes]) -> None:
        content, first, last = damaged(whole, damage)
        if first >= spans[0][1]:
            kept = (held for (begins, ends), held in holds.items() if ends <= first or begins > last)
            assert sum(kept, Counter()) <= records_of(content, path)

    hold()
