"""How answers are declared: what their JSON Schema is made from, and the rows that several commands share."""

from typing import Final, NotRequired

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

answer: Final = with_config(ConfigDict(extra="forbid", use_attribute_docstrings=True))
"""Makes a row closed, so that its schema knows of no other keys, and its fields' docstrings their descriptions."""


@answer
class Damage(TypedDict):
    """What is wrong with a file that can be read all the same."""

    line: int
    """The line, from 1."""
    what: str
    """What is wrong there."""


@answer
class Place(TypedDict):
    """One end of a fault in a history."""

    what: str
    """What stands there: the call, the result …"""
    line: int
    """The line, from 1."""
    message: int
    """The message, from 0."""
    block: int | None
    """The content block in it, from 0; null where the whole message is meant."""


@answer
class BrokenRule(TypedDict):
    """A rule that is broken."""

    rule: str
    """The rule's number in RULES.md."""
    at_s: float | None
    """When, in seconds from the turn's start; null where the rule is about places."""
    calls: list[str]
    """The ids of the calls concerned."""
    message: str
    """What happened."""
    turn: NotRequired[int]
    """The turn of a recording, from 1."""
    line: NotRequired[int]
    """The line, from 1."""
    kind: NotRequired[str]
    """The kind of a history's fault."""
    places: NotRequired[list[Place]]
    """Both ends of a history's fault, or all."""
    report: NotRequired[str]
    """An event log's violation as text, with a small timeline."""
