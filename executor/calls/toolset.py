"""The tools of one turn, found by name, then by a retired name (E2)."""

from collections.abc import Iterable, Iterator

from .tool import Tool


class ToolSet:
    """An immutable set of tools.

    Args:
        tools: in the order in which the model is told of them.

    Raises:
        TypeError: something is no tool.
        ValueError: two tools claim one name or alias.
    """

    __slots__ = ("_by_alias", "_by_name")

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._by_name: dict[str, Tool] = {}
        self._by_alias: dict[str, Tool] = {}
        if isinstance(tools, Tool):
            raise TypeError(f"expected tools in a list, got the tool {tools.name!r} alone: ToolSet([{tools.name}])")
        for tool in tools:
            if not isinstance(tool, Tool):
                raise TypeError(f"expected tools, got {tool!r}: make one of a function with @tool")
            if tool.name in self._by_name:
                raise ValueError(f"two tools are named {tool.name!r}: names must differ, rename one")
            self._by_name[tool.name] = tool
            for alias in tool.aliases:
                if alias in self._by_alias:
                    other = self._by_alias[alias].name
                    raise ValueError(f"alias {alias!r} is claimed by {other!r} and {tool.name!r}: drop one")
                self._by_alias[alias] = tool

    def find(self, name: str) -> Tool | None:
        """Find a tool by its name, else by an alias of this set; a living name beats a retired one."""
        return self._by_name.get(name) or self._by_alias.get(name)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)
