"""The compact set of hashes by which copied calls are known: equal to a set, small, and no single witness (B094)."""

import random
import sys
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.traces import fingerprints
from scenarios.traces.fingerprints import Fingerprints

WIDTH = sys.hash_info.width
BORDERS = [-(2 ** (WIDTH - 1)), -2, 0, 1, 2 ** (WIDTH - 1) - 1]
HASHES = st.sampled_from(BORDERS) | st.integers(BORDERS[0], -2) | st.integers(0, BORDERS[-1])
"""No hash is -1."""


@given(st.lists(HASHES), st.lists(HASHES), st.sampled_from((0, 3, 100)))
def test_fingerprints_are_a_set(added: list[int], asked: list[int], first: int) -> None:
    """However many of them are kept as a set is."""
    known, model = Fingerprints(), set[int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "_FIRST", first)
        for fingerprint in added:
            assert known.add(fingerprint) == (fingerprint not in model)
            model.add(fingerprint)
    assert [fingerprint in known for fingerprint in added + asked] == [one in model for one in added + asked]


def test_fingerprints_are_a_set_however_many_there_are_and_wherever_they_lie() -> None:
    """Evenly spread, as hashes are, and side by side, as they are not."""
    draws = random.Random(7)
    spread = [draws.getrandbits(WIDTH) - 2 ** (WIDTH - 1) for _ in range(30_000)]
    model = {*spread, *range(-1_000, -1), *range(1_000)}
    known = Fingerprints()
    assert [known.add(fingerprint) for fingerprint in model] == [True] * len(model)
    assert all(fingerprint in known for fingerprint in model)
    absent = [one for one in (fingerprint ^ 1 for fingerprint in model) if one not in model]
    assert not any(fingerprint in known for fingerprint in absent)
    assert not any(known.add(fingerprint) for fingerprint in model)


def test_a_fingerprint_takes_some_twenty_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "_FIRST", 0)
    draws = random.Random(7)
    tracemalloc.start()
    try:
        known, count = Fingerprints(), 60_000
        for _ in range(count):
            known.add(draws.getrandbits(WIDTH) - 2 ** (WIDTH - 1))
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 20 * count
    assert peak < 30 * count


class _OneHash(Fingerprints):
    """Takes the hash of any call for one that it has."""

    def __contains__(self, fingerprint: int) -> bool:
        return True


def test_one_hash_for_two_calls_of_a_file_loses_neither(session: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """B094: a copy is known by its id as well."""
    monkeypatch.setattr("scenarios.traces.collecting.Fingerprints", _OneHash)
    session.call(1, "m1", "a").result(2, "a").call(3, "m2", "b").result(4, "b").call(5, "m3", "a").result(6, "a")
    reader, turns = session.read()
    assert [[call.id for call in turn.calls] for turn in turns] == [["a"], ["b"]]
    assert reader.counts.copied_calls == 1
