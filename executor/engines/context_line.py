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
            self.barrier()

    def barrier(self) -> None:
        """Make the changes that wait, in request order."""
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        for index in sorted(pending):
            try:
                changed = pending[index](self.current)
            except Exception as error:
                self._faults.append(Fault("", f"a context modifier raised {error!r}; it changed nothing"))
                continue
            if isinstance(changed, ToolContext):
                self.current = changed
            else:
                self._faults.append(Fault("", f"a context modifier gave back {changed!r}; it changed nothing"))
        self._announce(Kind.CONTEXT, None, values=dict(self.current))
