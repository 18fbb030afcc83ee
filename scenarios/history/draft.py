"""A history that is being changed block by block, while its places stay those of the history as it was.

The rule: a message in which nothing was changed is handed on as the object it was.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from .blocks import Message, Place, Run, content_of

Value = Mapping[str, Any]


class Draft:
    """Changes to a history, noted by place and carried out at the end."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._instead: dict[Place, list[Value]] = {}
        self._heads: dict[int, list[Value]] = {}
        self._after: dict[int, Message] = {}

    def put(self, place: Place, *values: Value) -> None:
        """Put other blocks, or none, in the place of one."""
        self._instead[place] = list(values)

    def lead(self, message: int, values: list[Value]) -> None:
        """Let a message begin with these blocks."""
        self._heads[message] = values

    def answer_after(self, message: int, values: list[Value]) -> None:
        """Put a user's message with these blocks after one."""
        self._after[message] = {"role": "user", "content": values}

    def messages(self, runs: Sequence[Run], note: Value) -> list[Message]:
        """Carry the changes out.

        Args:
            runs: those of the history as it was.
            note: what is left in a message that lost all its blocks and has no neighbour of its role.
        """
        made: list[Message] = []
        for run in runs:
            kept = [(number, self._message(number)) for number in run.messages]
            bare = [number for number, message in kept if not message["content"] and self._messages[number]["content"]]
            alone = len(bare) == len(kept)
            for number, message in kept:
                if number not in bare:
                    made.append(message)
                elif alone and number == bare[0]:
                    made.append({**message, "content": [note]})
                if number in self._after:
                    made.append(self._after[number])
        return made

    def _message(self, number: int) -> Message:
        message = self._messages[number]
        content = content_of(message)
        places = [Place(number, n) for n in range(len(content))]
        if number not in self._heads and not any(place in self._instead for place in places):
            return message
        blocks = list(self._heads.get(number, ()))
        for place, value in zip(places, content, strict=True):
            blocks += self._instead.get(place, [value])
        return {**message, "content": blocks}
