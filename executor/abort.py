"""The abort tree: turn → siblings → call. Abort goes down, never up (A1).

The rule: a parent knows its children only weakly and forgets a finished one, so ten thousand calls under one
turn leave nothing behind. A listener that raises is logged; it keeps an abort from nobody else.
"""

import itertools
import logging
import weakref
from collections.abc import Callable
from typing import Final

_LOG: Final = logging.getLogger(__name__)

Listener = Callable[[str], None]
"""Called once with the reason when a signal fires."""


class AbortSignal:
    """The side of an abort that a tool sees: whether, why, and a call back when it happens."""

    __slots__ = ("__weakref__", "_listeners", "_numbers", "reason")

    def __init__(self) -> None:
        self.reason: str | None = None
        self._listeners: dict[int, Listener] = {}
        self._numbers = itertools.count()

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
        number = next(self._numbers)
        self._listeners[number] = listener

        def forget() -> None:
            self._listeners.pop(number, None)

        return forget

    def _fire(self, reason: str) -> None:
        self.reason = reason
        listeners, self._listeners = self._listeners, {}
        for listener in listeners.values():
            try:
                listener(reason)
            except Exception:
                _LOG.exception("a listener of an abort signal raised; everybody else was told")


class AbortController:
    """The side of an abort that its owner holds.

    Args:
        parent: the level above; its abort aborts this one, with its reason. Under an aborted parent a controller
            is born aborted.

    >>> turn = AbortController()
    >>> call = AbortController(turn)
    >>> turn.abort("user_interrupted")
    >>> call.signal.reason
    'user_interrupted'
    """

    __slots__ = ("__weakref__", "_children", "_number", "_numbers", "_parent", "signal")

    def __init__(self, parent: "AbortController | None" = None) -> None:
        self.signal = AbortSignal()
        self._children: dict[int, weakref.ref[AbortController]] = {}
        self._numbers = itertools.count()
        self._parent = parent
        if parent is not None:
            self._number = next(parent._numbers)
            if parent.signal.reason is not None:
                self.abort(parent.signal.reason)
            else:
                parent._adopt(self)

    @property
    def child_count(self) -> int:
        """How many living controllers below still hear this one."""
        return len(self._children)

    def abort(self, reason: str) -> None:
        """Fire the signal and those below it, in the order they were made; a second abort changes nothing."""
        if self.signal.reason is not None:
            return
        children, self._children = self._children, {}
        self.signal._fire(reason)
        # A copy, because a child that dies meanwhile takes itself out of the original.
        for reference in list(children.values()):
            child = reference()
            if child is not None:
                child.abort(reason)
        self.close()

    def close(self) -> None:
        """Leave the parent: nothing above reaches this controller any more."""
        if self._parent is not None:
            self._parent._children.pop(self._number, None)
            self._parent = None

    def _adopt(self, child: "AbortController") -> None:
        children, number = self._children, child._number
        children[number] = weakref.ref(child, lambda _: children.pop(number, None))
