"""Tell from a recorded result's texts how its call ended; the only place where texts decide.

The rule: a result is an error only if it says so (``is_error`` is true); what kind is read from its beginning, so that
a quotation further down decides nothing.
"""

import re
from typing import Final

from executor.calls.outcome import Outcome

from .fields import text_of

INTERRUPTS: Final = frozenset({"[Request interrupted by user]", "[Request interrupted by user for tool use]"})
"""The whole text of the line that marks a user's stop."""

_SIBLING: Final = re.compile(r"Sibling tool call errored|Cancelled: parallel tool call\b")
_FALLBACK: Final = re.compile(r"(?:Error: )?Streaming fallback - tool execution discarded")
_REJECTED: Final = "The user doesn't want to proceed with this tool use."
_USER: Final = "User rejected tool use"
_UNKNOWN: Final = re.compile(r"(?:Error: )?No such tool available\b")
_INVALID: Final = re.compile(r"(?:Error: )?InputValidationError\b")


def outcome_of(content: object, is_error: object, tool_use_result: object) -> Outcome:
    """Give the outcome of one ``tool_result``.

    ``content`` is the result as the model sees it, a text or a list of blocks, ``is_error`` its flag,
    ``tool_use_result`` the line's short form for people (a string for errors), or ``None``. A refusal in the permission
    dialog is ``denied``; a stop while the tool waited or ran is ``user_interrupted``.

    >>> outcome_of("<tool_use_error>Sibling tool call errored</tool_use_error>", True, None).value
    'sibling_error'
    >>> outcome_of("3 lines about: Sibling tool call errored", False, None).value
    'ok'
    """
    if is_error is not True:
        return Outcome.OK
    said = text_of(content).lstrip().removeprefix("<tool_use_error>")
    if _SIBLING.match(said):
        return Outcome.SIBLING_ERROR
    if _FALLBACK.match(said):
        return Outcome.STREAMING_FALLBACK
    if said.strip() in INTERRUPTS:
        return Outcome.USER_INTERRUPTED
    if said.startswith(_REJECTED):
        dialog = isinstance(tool_use_result, str) and not tool_use_result.startswith(_USER)
        return Outcome.DENIED if dialog else Outcome.USER_INTERRUPTED
    if _UNKNOWN.match(said):
        return Outcome.UNKNOWN_TOOL
    return Outcome.INVALID_INPUT if _INVALID.match(said) else Outcome.ERROR
