"""The reference model: what a turn must look like, computed from its scenario alone, and runs compared with it (T1).

The rule: it shares no code with the executor and uses no event loop. Times in nanoseconds from the turn's start.
"""

from .account import Account, account_of, first_difference
from .conformity import compare_with_model
from .scope import unpredictable
from .turn import predict

__all__ = ["Account", "account_of", "compare_with_model", "first_difference", "predict", "unpredictable"]
