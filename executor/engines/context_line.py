"""How the context moves on while calls run: pure, no waiting (C1–C3, Q4).

The rule: an exclusive call's change counts at once; changes of safe calls wait for the next barrier and are then
made in request order, whatever order the calls ended in.
"""

from ..calls.context import Modifier, ToolContext
from ..events import Announce, Kind
from .report import Fault


class ContextLine:
    """The context of a turn, from its first state on.

    Args:
        initial: the context the turn starts from.
        announce: told of each change.
        faults: takes note of a modifier that raised or gave back no context; it changes nothing.
    """

    def __init__(self, initial: ToolContext, announce: Announce, faults: list[Fault]) -> None:
        self.current = initial
        self._announce = announce
        self._faults = faults
        self._pending: dict[int, Modifier] = {}

    def settle(self, index: int, modifier: Modifier, *, exclusive: bool) -> None:
        """Take over the change of an ok call: at once for an exclusive one, at the next barrier for a safe one."""
        self._pending[index] = modifier
        if exclusive:
            self.barrier(index + 1)

    def barrier(self, before: int | None = None) -> None:
        """Make the changes that wait, in request order; only those of calls before a place, if one is given (H8)."""
        due = [index for index in sorted(self._pending) if before is None or index < before] if self._pending else ()
        if not due:
            return
        for index in due:
            try:
                changed = self._pending.pop(index)(self.current)
            except Exception as error:
                self._faults.append(Fault("", f"a context modifier raised {error!r}; it changed nothing"))
                continue
            if isinstance(changed, ToolContext):
                self.current = changed
            else:
                self._faults.append(Fault("", f"a context modifier gave back {changed!r}; it changed nothing"))
        self._announce(Kind.CONTEXT, None, values=dict(self.current))
