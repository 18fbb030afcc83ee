"""Keep a file's conversations apart: the main one, and one for each sub-agent whose lines are mixed in (B097).

The rule: a sub-agent is known by its id or, in old files, by the root its chain of parents leads to, through records of
any kind (B091). A sub-agent that stays silent while the main conversation goes on is over.
"""

from collections.abc import Iterator
from typing import Any, Final

from ..visible import visible
from .opened import Conversation

_SILENT_RESPONSES: Final = 2
"""Responses of the main conversation after which a silent sub-agent is taken to be over."""


class Conversations:
    """The conversations of one file that are open."""

    def __init__(self) -> None:
        self.main = Conversation(None)
        self._agents: dict[str, Conversation] = {}
        self._roots: dict[str, str] = {}

    def __iter__(self) -> Iterator[Conversation]:
        yield self.main
        yield from self._agents.values()

    def of(self, value: dict[str, Any]) -> Conversation:
        """Find the conversation a record belongs to, beginning it if it is new."""
        if value.get("isSidechain") is not True:
            return self.main
        agent, uuid, parent = value.get("agentId"), value.get("uuid"), value.get("parentUuid")
        if not isinstance(agent, str):
            root = next((name for name in (parent, uuid) if isinstance(name, str)), "sidechain")
            agent = self._roots.get(root, root)
        if isinstance(uuid, str):
            self._roots[uuid] = agent
        return self.named(agent)

    def named(self, agent: str | None) -> Conversation:
        """Find the conversation of a sub-agent, beginning it if it is new; ``None`` is the main one."""
        if agent is None:
            return self.main
        agent = visible(agent)
        if agent not in self._agents:
            self._agents[agent] = Conversation(agent)
        return self._agents[agent]

    def main_went_on(self) -> None:
        """Take note of a response of the main conversation, and end the sub-agents that have fallen silent."""
        for name, agent in list(self._agents.items()):
            agent.silent += 1
            if agent.silent > _SILENT_RESPONSES:
                agent.end()
                del self._agents[name]
        if not self._agents:
            self._roots.clear()
