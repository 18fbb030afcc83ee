"""A word of a shell command, and what can be said of it before the shell has expanded it.

The rule: what an expansion will give is never guessed. Of such a word only the letters before the expansion are known.
"""

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node


class NotUnderstood(Exception):
    """The command cannot be read with certainty; the message is the reason (R2)."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word.

    Args:
        source: as it was written.
        text: what the command gets; None where the shell expands something.
        prefix: what the command's word certainly begins with.
        several: the shell may make any number of words of it, none at all included.
        splits: of several words only the first is sure to begin with the prefix: an unquoted ``$x``, but no glob.
    """

    source: str
    text: str | None
    prefix: str
    several: bool = False
    splits: bool = False

    @classmethod
    def literal(cls, text: str) -> "Word":
        """Make a word without expansions."""
        return cls(text, text, text)

    @property
    def is_operand_like(self) -> bool:
        """Whether it certainly is no option."""
        if self.text is not None:
            return not self.text.startswith("-") or self.text == "-"
        return self.prefix[:1] not in ("", "-") and not self.splits


EXPANSIONS: Final = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})
_PATTERNS: Final = frozenset({"regex", "extglob_pattern"})
_PLAIN: Final = frozenset({"word", "number", "test_operator", "$", "=", "==", "!=", "=~", "<", ">", "!", "(", ")"})
_PLAIN_IN_TESTS_ONLY: Final = frozenset({"&&", "||"})
_ANSI_C: Final = re.compile(rb"(?:[^\\]|\\[\\'\"tn])*")
_ANSI_C_ESCAPES: Final = {b"t": b"\t", b"n": b"\n"}
_ESCAPED_IN_QUOTES: Final = re.compile(rb'\\([$`"\\]|\n)')


def group_touching(nodes: Iterable[Node]) -> list[list[Node]]:
    """Join nodes without a gap between them: to the shell they are one word."""
    groups: list[list[Node]] = []
    for node in nodes:
        if groups and groups[-1][-1].end_byte == node.start_byte:
            groups[-1].append(node)
        else:
            groups.append([node])
    return groups


def check_touching(node: Node) -> None:
    """Hold that a node's children are one word.

    Raises:
        NotUnderstood: there is a gap between them.
    """
    if len(group_touching(node.children)) != 1:
        raise NotUnderstood("a word with a gap in it is not clear")


def read_words(nodes: Iterable[Node], source: bytes) -> list[Word]:
    """Read the words that these nodes, in their order, are parts of.

    Raises:
        NotUnderstood: a node is no part of a word.
    """
    return [_Reading(group, source).word() for group in group_touching(nodes)]


class _Reading:
    """The letters of one word, as far as they are known."""

    def __init__(self, nodes: Sequence[Node], source: bytes) -> None:
        self._source = source
        self._start, self._end = nodes[0].start_byte, nodes[-1].end_byte
        self._letters = bytearray()
        self._known = True
        self._several = False
        self._splits = False
        todo = deque(nodes)
        while todo:
            node = todo.popleft()
            if node.type in ("concatenation", "command_name"):
                check_touching(node)
                todo.extendleft(reversed(node.children))
            else:
                self._add(node)

    def word(self) -> Word:
        letters = self._letters.decode()
        source = self._source[self._start : self._end].decode()
        return Word(source, letters if self._known else None, letters, self._several, self._splits)

    def _add(self, node: Node) -> None:
        kind, written = node.type, self._source[node.start_byte : node.end_byte]
        if kind in _PLAIN or kind in _PLAIN_IN_TESTS_ONLY:
            self._plain(written, node.start_byte)
        elif kind == "raw_string":
            self._literal(written[1:-1])
        elif kind == "string":
            self._quoted(node)
        elif kind == "ansi_c_string":
            self._ansi_c(written[2:-1])
        elif kind in EXPANSIONS:
            self._expanded(several=True, splits=True)
        elif kind == "brace_expression":
            self._expanded(several=True)
        elif kind == "process_substitution":
            self._literal(b"/dev/fd/")
            self._expanded(several=False)
        elif kind in _PATTERNS:
            self._expanded(several=False)
        else:
            raise NotUnderstood(f"{written.decode()!r} is not understood")

    def _literal(self, letters: bytes) -> None:
        if self._known:
            self._letters += letters

    def _expanded(self, *, several: bool, splits: bool = False) -> None:
        self._known = False
        self._several |= several
        self._splits |= splits

    def _plain(self, written: bytes, offset: int) -> None:
        at = 0
        while at < len(written):
            letter = written[at : at + 1]
            if letter == b"\\":
                at += 1
                self._literal(written[at : at + 1])
            elif letter in (b"*", b"?", b"[") or (letter == b"{" and self._is_brace_expansion(offset + at)):
                self._expanded(several=True)
            elif letter == b"~" and offset + at == self._start:
                self._literal(b"~")
                self._expanded(several=False)
            else:
                self._literal(letter)
            at += 1

    def _is_brace_expansion(self, at: int) -> bool:
        """``{}``, ``stash@{1}`` and ``{x}`` stay as they are; a comma or two dots before the last ``}`` do not."""
        inner = self._source[at + 1 : self._end].rpartition(b"}")[0]
        return not re.fullmatch(rb"[^,.]*(?:\.[^,.]+)*", inner)

    def _quoted(self, node: Node) -> None:
        # The letters between the expansions, not the content nodes: these leave out blanks at their edges.
        at = node.start_byte + 1
        for child in node.children:
            if child.type in EXPANSIONS:
                self._unescaped(self._source[at : child.start_byte])
                is_list = self._source[child.start_byte : child.end_byte] == b"$@"
                self._expanded(several=is_list, splits=is_list)
                at = child.end_byte
        self._unescaped(self._source[at : node.end_byte - 1])

    def _unescaped(self, written: bytes) -> None:
        self._literal(_ESCAPED_IN_QUOTES.sub(lambda match: match[1].strip(b"\n"), written))

    def _ansi_c(self, written: bytes) -> None:
        if not _ANSI_C.fullmatch(written):
            raise NotUnderstood(f"the escapes in $'{written.decode()}' are not understood")
        self._literal(re.sub(rb"\\(.)", lambda match: _ANSI_C_ESCAPES.get(match[1], match[1]), written))
