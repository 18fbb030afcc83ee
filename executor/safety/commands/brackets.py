"""Bracket expressions of regular expressions, such as ``[^a-z]``, as far as all programs end them at the same letter.

The rule: whether a first ``]``, a ``\\`` or a class such as ``[:alpha:]`` ends them is read in different ways, and what
one program takes for a part of the expression another one runs. Brackets that may be open for one are not understood.
"""

import re
from typing import Final


def brackets(delimiter: str = "") -> str:
    """Give the regular expression of brackets that end alike for everybody.

    Args:
        delimiter: what ends the whole expression, if it must not stand in brackets either.

    >>> bool(re.fullmatch(brackets("/"), "[^[:alpha:]_]")), bool(re.fullmatch(brackets("/"), "[^/]"))
    (True, False)
    """
    inside = rf"(?:[^\[\]\\\n{delimiter}]|\\[^\[\]\n]|\[:[a-z]+:\]|\[(?![:.=]))"
    return rf"\[(?:\^|(?![\^:]))(?:\]{inside}*|{inside}+)\]"


_CLEAR: Final = re.compile(rf"\\[^\n]|{brackets()}")


def are_clear(expression: str) -> bool:
    """Whether all brackets of an expression end alike for everybody.

    >>> are_clear("[a-z]*[.]"), are_clear("[]"), are_clear("[[:alpha:]")
    (True, False, False)
    """
    return "[" not in _CLEAR.sub("", expression)
