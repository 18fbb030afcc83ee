"""The abort tree: turn → siblings → call. Abort goes down, never up (A1).

The rule: a parent knows its children only weakly and forgets a finished one, so ten thousand calls under one
turn leave nothing behind. A listener that raises is logged; it keeps an abort from nobody else.
"""

import logging
from collections.abc import Callable
from typing import Final
from weakref import ref

_LOG: Final = logging.getLogger(__name__)

Listener = Callable[[str], None]
"""Called once with the reason when a signal fires."""


class AbortSignal:
    """The side of an abort that a tool sees: whether, why, and a call back when it happens."""

    __slots__ = ("_births", "_listeners", "reason")

    def __init__(self, reason: str | None = None) -> None:
        self.reason = reason
        self._listeners: dict[int, Listener] = {}
        self._births = 0

    @property
    def aborted(self) -> bool:
        """Whether the signal has fired."""
        return self.reason is not None

    @property
    def listener_count(self) -> int:
        """How many listeners wait for the signal."""
        return len(self._listeners)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener(reason)`` when the signal fires, at once if it has; the returned function takes it back."""
        if self.reason is not None:
            listener(self.reason)
            return lambda: None
        self._births = number = self._births + 1
        self._listeners[number] = listener

        def forget() -> None:
            self._listeners.pop(number, None)

        return forget

    def fire(self, reason: str) -> None:
        """Tell every listener, once; only for whoever owns the signal."""
        self.reason = reason
        listeners, self._listeners = self._listeners, {}
        for listener in listeners.values():
            _tell(listener, reason)


class AbortController:
    """The side of an abort that its owner holds.

    Args:
        parent: the level above; its abort aborts this one, with its reason. Under an aborted parent a controller
            is born aborted.
        on_abort: the owner's own listener, told before those of the signal.

    >>> turn = AbortController()
    >>> call = AbortController(turn)
    >>> turn.abort("user_interrupted")
    >>> call.signal.reason
    'user_interrupted'
    """

    __slots__ = ("__weakref__", "_children", "_on_abort", "_parent", "signal")

    def __init__(self, parent: "AbortController | None" = None, on_abort: Listener | None = None) -> None:
        self.signal: Final = AbortSignal()
        """What the ones that are to stop may see of it."""
        self._on_abort = on_abort
        self._children: dict[ref[AbortController], None] = {}
        self._parent: AbortController | None = None
        if parent is None:
            return
        if parent.reason is not None:
            self.abort(parent.reason)
            return
        # A child that dies unclosed takes itself out: its reference's last act is to delete itself.
        self._parent = parent
        parent._children[ref(self, parent._children.__delitem__)] = None

    @property
    def reason(self) -> str | None:
        """Why it was aborted, ``None`` while it was not."""
        return self.signal.reason

    @property
    def child_count(self) -> int:
        """How many living controllers below still hear this one."""
        return len(self._children)

    def abort(self, reason: str) -> None:
        """Fire the signal and those below it, in the order they were made; a second abort changes nothing."""
        if self.reason is not None:
            return
        self.signal.reason = reason
        children, self._children = self._children, {}
        if self._on_abort is not None:
            _tell(self._on_abort, reason)
        self.signal.fire(reason)
        # A copy, because a child that dies meanwhile takes itself out of the original.
        for reference in list(children):
            child = reference()
            if child is not None:
                child.abort(reason)
        self.close()

    def close(self) -> None:
        """Leave the parent: nothing above reaches this controller any more."""
        if self._parent is not None:
            self._parent._children.pop(ref(self), None)
            self._parent = None


def _tell(listener: Listener, reason: str) -> None:
    try:
        listener(reason)
    except Exception:
        _LOG.exception("a listener of an abort signal raised; everybody else was told")
