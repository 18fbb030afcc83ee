"""Remember of each call that it was there, in some 20 bytes: by its hash.

The rule: two different calls have one hash once in 2**64, so whoever loses something by a mistake asks for a second
witness. No times here.
"""

from array import array
from typing import Final

_FREE: Final = 0
"""Fills a place that holds no hash; a hash that is 0 is taken as -1, which none is."""

_FIRST: Final = 1 << 14
"""Hashes kept in a set, which is quick and takes no more than 1.6 MB for so many."""


class Fingerprints:
    """A set of hashes that in a long file takes a quarter of a set's memory.

    The first ones are in a set, the rest lie as bare numbers in a table, each at the first free place from its own on.

    >>> known = Fingerprints()
    >>> known.add(hash("toolu_1")), known.add(hash("toolu_1")), hash("toolu_2") in known
    (True, False, False)
    """

    def __init__(self) -> None:
        self._first: set[int] = set()
        self._table = array("q", [_FREE]) * 64
        self._left = len(self._table) * 2 // 3

    def __contains__(self, fingerprint: int) -> bool:
        return fingerprint in self._first or self._table[self._place(fingerprint or -1)] != _FREE

    def add(self, fingerprint: int) -> bool:
        """Add a hash; say whether it is new."""
        if fingerprint in self._first:
            return False
        if len(self._first) < _FIRST:
            self._first.add(fingerprint)
            return True
        fingerprint = fingerprint or -1
        at = self._place(fingerprint)
        if self._table[at] == fingerprint:
            return False
        self._table[at] = fingerprint
        self._left -= 1
        if self._left == 0:
            self._grow()
        return True

    def _place(self, fingerprint: int) -> int:
        """Find where a hash lies, or the free place where it belongs."""
        table = self._table
        last = len(table) - 1
        at = fingerprint & last
        while (there := table[at]) != fingerprint and there != _FREE:
            at = at + 1 & last
        return at

    def _grow(self) -> None:
        """Double the places, of which two thirds may be taken: fuller, and free ones are far."""
        full = self._table
        self._left = len(full) * 2 // 3
        self._table = array("q", [_FREE]) * (2 * len(full))
        for fingerprint in full:
            if fingerprint != _FREE:
                self._table[self._place(fingerprint)] = fingerprint


Seen = set[int] | Fingerprints
"""The calls that readers which share it have seen."""
