"""What can be wrong with a response: faults it survives, failures it does not (W3, W6)."""

from dataclasses import dataclass
from typing import Final

NEVER_AGAIN: Final = frozenset({"invalid_request_error"})
"""Errors that asking again cannot mend (W3)."""


@dataclass(frozen=True, slots=True)
class ProtocolFault:
    """Something in the stream that should not have been, and that the response survives (W6).

    Args:
        event: the event's number in the stream, from 1; pings and unknown events count.
        index: the content block it is about, ``None`` if it is about none.
        what: what was wrong and what was done about it.
    """

    event: int
    index: int | None
    what: str

    def __str__(self) -> str:
        about = "" if self.index is None else f", block {self.index}"
        return f"event {self.event}{about}: {self.what}"


class StreamFailure(Exception):
    """The response broke off: its calls are discarded and it may be asked for again (W3, A8).

    Args:
        error_type: the API's own word, such as ``overloaded_error``; ``incomplete_stream`` for an end before
            ``message_stop``, ``spliced_stream`` for a second message in one response.
        message: what happened, for people.
        event: the number of the event that told it, from 1; for an end, of the last that came.
    """

    def __init__(self, error_type: str, message: str, event: int) -> None:
        super().__init__(error_type, message, event)
        self.error_type = error_type
        self.message = message
        self.event = event

    def __str__(self) -> str:
        return f"{self.error_type}: {self.message} (event {self.event})"

    @property
    def retryable(self) -> bool:
        """Whether asking again may help."""
        return self.error_type not in NEVER_AGAIN


def is_final(failure: BaseException) -> bool:
    """Tell whether asking again for a response that failed so cannot help (W3)."""
    return isinstance(failure, StreamFailure) and not failure.retryable
