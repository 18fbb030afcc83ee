"""Who may enter its body while calls wait that became exclusive after their admission: a pure rule, no waiting (H8).

The rule: such a call enters when every earlier call has settled and no body runs; calls after it wait behind it.
"""

from bisect import insort


class Gate:
    """The calls that became exclusive and are not over, by their place in request order.

    >>> gate = Gate()
    >>> gate.harden(1)
    >>> gate.lets_in(0, 0, bodies_run=False), gate.lets_in(1, 0, bodies_run=False), gate.lets_in(2, 0, bodies_run=False)
    (True, False, False)
    >>> gate.lets_in(1, 1, bodies_run=True), gate.lets_in(1, 1, bodies_run=False)
    (False, True)
    """

    __slots__ = ("_hardened",)

    def __init__(self) -> None:
        self._hardened: list[int] = []

    @property
    def is_shut(self) -> bool:
        """Whether anybody may have to wait."""
        return bool(self._hardened)

    def harden(self, index: int) -> None:
        """Note that the call at ``index`` became exclusive."""
        insort(self._hardened, index)

    def is_next(self, index: int) -> bool:
        """Whether the call at ``index`` is the one that may go once it is alone."""
        return self._hardened[:1] == [index]

    def is_over(self, index: int) -> None:
        """Note that the call at ``index`` holds nobody up any more."""
        if index in self._hardened:
            self._hardened.remove(index)

    def lets_in(self, index: int, first_unsettled: int, *, bodies_run: bool) -> bool:
        """Decide whether the call at ``index`` may enter its body now.

        Args:
            index: its place in request order.
            first_unsettled: the place of the earliest call that executes.
            bodies_run: whether any body runs.
        """
        if not self._hardened or index < self._hardened[0]:
            return True
        return index == self._hardened[0] == first_unsettled and not bodies_run
