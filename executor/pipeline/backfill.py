"""What hooks and permissions see of an input, and how what they give back becomes an input again (X2). Pure.

The rule: they see copies; what was filled in for them never reaches the body, not even through a hook's rewrite.
"""

from collections.abc import Mapping
from typing import Any, Final

from ..calls.call import Call


class BackfillFailed(Exception):
    """A tool's backfill raised: what hooks and rules would have to judge is not known, so the call may not run."""


_ATOMS: Final = frozenset({str, int, bool, float, type(None)})


def seen(call: Call) -> Mapping[str, Any]:
    """Give a call's input as hooks and permissions see it; whoever hands it to others' code copies it first.

    Raises:
        BackfillFailed: the tool's backfill raised, or gave back no mapping.
    """
    assert call.tool is not None, "an unknown tool has no input"
    if call.tool.backfill is None:
        return call.input
    try:
        filled: dict[str, Any] = copied(dict(call.tool.backfill(copied(call.input))))
    except Exception as error:
        why = str(error) or type(error).__name__
        raise BackfillFailed(f"the backfill of {call.tool.name} failed: {why}") from error
    return filled


def unfilled(call: Call, given: Any) -> Any:
    """Take out of an input that a hook or a person gave what had only been filled in for them.

    Raises:
        BackfillFailed: as :func:`seen`.
    """
    assert call.tool is not None, "an unknown tool has no input"
    if call.tool.backfill is None or not isinstance(given, Mapping):
        return copied(given)
    filled, own = seen(call), {}
    for key, value in given.items():
        if key not in filled or value != filled[key]:
            own[key] = copied(value)
        elif key in call.input:
            own[key] = call.input[key]
    return own


def copied(value: Any) -> Any:
    """Copy what JSON can hold, as deep as it goes; anything else is taken as it is."""
    kind = type(value)
    if kind is dict or isinstance(value, Mapping):
        # Most values are atoms: asking each for its copy costs more than the rest.
        return {key: each if type(each) in _ATOMS else copied(each) for key, each in value.items()}
    if kind is list or isinstance(value, list | tuple):
        return [each if type(each) in _ATOMS else copied(each) for each in value]
    return value
