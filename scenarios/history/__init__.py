"""Conversations as the Messages API takes them: is every call answered, once, in its place; and if not, mend it.

The rule: what is asked and what answers it are found by id, told with the places of both, and never changed in silence.
"""

from .blocks import HistoryError, Place
from .faults import Fault, FaultKind
from .lint import lint, open_calls
from .repair import Deed, Repaired, repair

__all__ = ["Deed", "Fault", "FaultKind", "HistoryError", "Place", "Repaired", "lint", "open_calls", "repair"]
