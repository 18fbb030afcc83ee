"""Run an LLM agent's tool calls: side by side where that is safe, alone where it is not, one result for each.

The rule: the public names are listed once, in ``__init__.pyi``, and each is imported when it is first asked for.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
