"""Whether a token of the syntax tree is one that bash would have cut out of the text in the same way.

The rule: a token's own letters must say what it is; where tree-sitter needed more than that, it may have misread.
Offsets are bytes.
"""

import re
from typing import Final

from tree_sitter import Node

from .words import NotUnderstood

_PLAIN: Final = re.compile(rb"(?:[^\s'\"\\$`;&|<>()]|\\[^\n])+")
_PATTERN: Final = re.compile(rb"(?:[^'\"\\`;&<>$]|\\[^\n]|\$(?![\w({\['\"]))+")
_LEXEMES: Final = {
    "word": _PLAIN,
    "number": _PLAIN,
    "raw_string": re.compile(rb"'[^']*'"),
    "string_content": re.compile(rb'(?:[^"\\`$]|\\[\s\S])*'),
    "ansi_c_string": re.compile(rb"\$'(?:[^'\\]|\\[^\n])*'"),
    "variable_name": re.compile(rb"\w+"),
    "special_variable_name": re.compile(rb"[?$!@*#_0-9-]"),
    "file_descriptor": re.compile(rb"\d+"),
    "test_operator": re.compile(rb"-\w+"),
    "regex": _PATTERN,
    "extglob_pattern": _PATTERN,
    "comment": re.compile(rb"#[^\n]*"),
}
_BREAKS: Final = b" \t\n;&|()<>"
"""Behind one of these a new word begins, and a ``#`` there begins a comment."""
_BLANK: Final = re.compile(rb"(?:[ \t\n]|(?<=[ \t\n])\\\n)*")
_ON_THE_LINE: Final = re.compile(rb"(?:[ \t]|\\\n)*")
_DELIMITER: Final = re.compile(rb"(?P<quote>['\"\\]?)(?P<name>[A-Za-z_]\w*)['\"]?")
_BEGINS_EXPANSION: Final = re.compile(rb"[\w?!$@*#({\[-]")


def gap_is_blank(gap: bytes) -> bool:
    """Whether nothing but blanks, line breaks and continued lines lies between two tokens."""
    return _BLANK.fullmatch(gap) is not None


def gap_stays_on_the_line(gap: bytes) -> bool:
    """Whether a gap holds no line break that would end a command."""
    return _ON_THE_LINE.fullmatch(gap) is not None


def check_lexeme(node: Node, source: bytes) -> None:
    """Check a leaf of the syntax tree.

    Raises:
        NotUnderstood: bash might cut the text in another way.
    """
    written = source[node.start_byte : node.end_byte]
    pattern = _LEXEMES.get(node.type)
    at_start = node.start_byte == 0 or source[node.start_byte - 1] in _BREAKS
    fits = pattern is None or pattern.fullmatch(written) is not None
    if node.type in ("word", "number"):
        fits &= not (at_start and written.startswith(b"#"))
    elif node.type == "comment":
        fits &= at_start
    elif node.type == "$":
        fits &= _is_plain_dollar(node, source)
    if not fits:
        raise NotUnderstood(f"{written.decode(errors='replace')!r} is not clear")


def _is_plain_dollar(node: Node, source: bytes) -> bool:
    """Whether a ``$`` begins an expansion the tree knows of, or none at all."""
    parent = node.parent
    if parent is not None and parent.type == "simple_expansion":
        return True
    behind = source[node.end_byte : node.end_byte + 1]
    in_quotes = parent is not None and parent.type == "string"
    return not _BEGINS_EXPANSION.match(behind) and (in_quotes or behind not in (b'"', b"'"))


def check_heredoc(node: Node, source: bytes) -> None:
    """Check that a here-document ends where bash ends it, and that its text runs nothing.

    Raises:
        NotUnderstood: it may end elsewhere, or its text has substitutions.
    """
    parts = {child.type: child for child in node.children}
    if "heredoc_start" not in parts or "heredoc_end" not in parts:
        raise NotUnderstood("a here-document without an end")
    start, end = parts["heredoc_start"], parts["heredoc_end"]
    delimiter = _DELIMITER.fullmatch(source[start.start_byte : start.end_byte])
    if delimiter is None:
        raise NotUnderstood("a here-document's delimiter is not understood")
    at = body = source.find(b"\n", start.end_byte) + 1
    while body:
        line_end = source.find(b"\n", at)
        line = source[at:] if line_end < 0 else source[at:line_end]
        if (line.lstrip(b"\t") if "<<-" in parts else line) == delimiter["name"]:
            break
        if line_end < 0:
            raise NotUnderstood("a here-document without an end")
        at = line_end + 1
    if not body or end.end_byte != at + len(line) or parts.get("heredoc_body", end).start_byte < body:
        raise NotUnderstood("a here-document's end is not clear")
    if not delimiter["quote"] and re.search(rb"`|\$[({\[]|\\\n", source[body:at]):
        raise NotUnderstood("a here-document with substitutions in its text")
