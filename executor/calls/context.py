"""What calls can see and, once they ended well, change for those after them (SPEC 4)."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class ToolContext(Mapping[str, Any]):
    """An immutable mapping of names to values, handed to every body (C1).

    A change is a modifier, ``context -> context``; :meth:`updated` makes the new one.

    >>> before = ToolContext(cwd="/src")
    >>> before.updated(cwd="/src/lib", seen=1)
    ToolContext(cwd='/src/lib', seen=1)
    >>> before["cwd"]
    '/src'
    """

    __slots__ = ("_values",)

    def __init__(self, **values: Any) -> None:
        self._values = values

    def updated(self, **values: Any) -> "ToolContext":
        """Make a context with these values set and all others as they are."""
        return ToolContext(**(self._values | values))

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"ToolContext({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"


Modifier = Callable[[ToolContext], ToolContext]
"""What an ok call may hand back to change the context for later calls (C1)."""
