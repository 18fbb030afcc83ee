"""Run scenarios over a virtual clock, judge every run, measure and draw it.

The rule: the public names are listed once, in ``__init__.pyi``, and each is imported when it is first asked for, so
that this package imports neither SimPy, pandas nor Hypothesis before they are needed.
"""

import lazy_loader

__getattr__, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
# The state machine needs Hypothesis, which `from sim import *` must not.
__all__ = [name for name in _names if name != "executor_machine"]
