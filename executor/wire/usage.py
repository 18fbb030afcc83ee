"""The tokens a message took, put together from what a stream tells of them in passing."""

from collections.abc import Mapping
from typing import Any


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two reports: counts only grow, so of a count told twice the larger is true; else the last word counts.

    >>> merged({"input_tokens": 25, "output_tokens": 1}, {"output_tokens": 15, "input_tokens": 0})
    {'input_tokens': 25, 'output_tokens': 15}
    """
    both = dict(old)
    for key, value in new.items():
        before = both.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            both[key] = merged(before, value)
        elif isinstance(value, int | float) and isinstance(before, int | float):
            both[key] = max(before, value)
        elif value is not None:
            both[key] = value
    return both
