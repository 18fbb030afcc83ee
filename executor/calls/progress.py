"""What a body says of itself while it runs (E7)."""

from typing import Any, NamedTuple


class Progress(NamedTuple):
    """One progress message of one call.

    Args:
        call_id: the call it is about.
        n: 0 for the call's first message, then counting up.
        data: whatever the tool reported.
    """

    call_id: str
    n: int
    data: Any
