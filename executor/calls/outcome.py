"""How a call ended, as data: the text for the model never has to be parsed to find out (SPEC 1)."""

from enum import StrEnum
from typing import Final


class Outcome(StrEnum):
    """The final outcome of one call, stated truthfully."""

    OK = "ok"
    ERROR = "error"
    INVALID_INPUT = "invalid_input"
    UNKNOWN_TOOL = "unknown_tool"
    DENIED = "denied"
    HOOK_BLOCKED = "hook_blocked"
    HOOK_FAILED = "hook_failed"
    TIMEOUT = "timeout"
    SIBLING_ERROR = "sibling_error"
    USER_INTERRUPTED = "user_interrupted"
    STREAMING_FALLBACK = "streaming_fallback"

    __hash__ = str.__hash__  # equal to its text, so found by its text; and Enum hashes in Python code


ABORTS: Final = frozenset({Outcome.STREAMING_FALLBACK, Outcome.SIBLING_ERROR, Outcome.USER_INTERRUPTED})
"""Outcomes that an abort gives a call, from the highest rank (A5) downwards: fallback, sibling error, user."""
