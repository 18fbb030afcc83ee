"""Listeners that a user gave: a broken one must not break what it is told of.

The rule: what a listener raises is logged, and the settlement it was told of goes on.
"""

import logging
from collections.abc import Callable
from typing import Any, Final

from .events import Announce, Kind, silent

_LOG: Final = logging.getLogger(__name__)


class _Guarded:
    """Announces to a listener that may raise."""

    __slots__ = ("_announce", "contents")

    def __init__(self, announce: Announce) -> None:
        self._announce = announce
        self.contents = getattr(announce, "contents", False) is True

    def __call__(self, kind: Kind, call: str | None, /, **detail: Any) -> None:
        try:
            self._announce(kind, call, **detail)
        except Exception:
            _LOG.exception("a listener of the event log raised at %s; the turn goes on", kind)


def guarded(announce: Announce) -> Announce:
    """Give an announcement that never raises; the silent one, and one that is guarded already, stay themselves."""
    return announce if announce is silent or isinstance(announce, _Guarded) else _Guarded(announce)


def wants_contents(announce: Announce) -> bool:
    """Whether a listener also wants what was asked and answered, word for word: one whose ``contents`` is true."""
    return isinstance(announce, _Guarded) and announce.contents


def guarded_activity(
    on_activity: Callable[[tuple[str, ...], bool], None] | None,
) -> Callable[[tuple[str, ...], bool], None] | None:
    """Do as :func:`guarded` does, for a listener that is told which calls execute."""
    if on_activity is None:
        return None

    def tell(executing: tuple[str, ...], interruptible: bool) -> None:
        try:
            on_activity(executing, interruptible)
        except Exception:
            _LOG.exception("a listener of the executing calls raised; the turn goes on")

    return tell
