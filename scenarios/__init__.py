"""Scenarios are data: what a turn's calls do and when, as a Python model and as YAML files. Nothing here runs.

The rule: the public names are listed once, in ``__init__.pyi``, and each is imported when it is first asked for, so
that this package imports neither Hypothesis nor the importers before they are needed.
"""

import lazy_loader

__getattr__, __dir__, _names = lazy_loader.attach_stub(__name__, __file__)
# The strategies need Hypothesis, which `from scenarios import *` must not.
__all__ = [name for name in _names if name != "strategies"]
