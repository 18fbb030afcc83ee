"""Hypothesis strategies for turns and for the parts they are made of.

The rule: small first. Times lie on a grid of 100 ms from 0 to 1 s, so that instants often coincide, and every turn
has only some of the features (swarm testing), so that each is also seen without the others. Needs the ``testing``
extra.
"""

try:
    import hypothesis as _  # noqa: F401 - only to say what to install where it is missing
except ImportError as error:
    raise ImportError("scenarios.strategies needs Hypothesis: pip install 'interlock[testing]'") from error

from .attempts import FAILURES, retried_turns
from .calls import calls
from .features import FEATURES, INTERRUPTIONS, Feature
from .grid import TICKS
from .hooks import hooks
from .kinds import any_turns
from .permissions import answers, permissions
from .streams import streams
from .turns import turns
from .users import consumers, users

__all__ = [
    "FAILURES",
    "FEATURES",
    "INTERRUPTIONS",
    "TICKS",
    "Feature",
    "answers",
    "any_turns",
    "calls",
    "consumers",
    "hooks",
    "permissions",
    "retried_turns",
    "streams",
    "turns",
    "users",
]
