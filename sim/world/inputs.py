"""What modelled tools are called with: inputs that still know which call of the scenario they belong to.

The rule: an input keeps that knowledge on its way through hooks and people, who see plain mappings (X2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import PlainValidator, TypeAdapter

from executor import ToolUseBlock
from scenarios.calls import Call
from scenarios.hooks import Rewrite

_MARK: Final = "\0scenario"


class CallInput(dict[str, Any]):
    """A call's input: the model's own, or the one that a hook or a person gave instead.

    Args:
        spec: the call.
        rewrite: what was given instead.
        read: the model's own input as it was read from the wire; without it as the scenario has it.
    """

    def __init__(self, spec: Call, rewrite: Rewrite | None = None, read: Mapping[str, Any] | None = None) -> None:
        own = spec.input if read is None else read
        super().__init__(own if rewrite is None else rewrite.input)
        self.spec = spec
        self.rewrite = rewrite

    @property
    def own_class(self) -> bool | None:
        """The class of this input where it is not its tool's."""
        return self.spec.safe if self.rewrite is None else self.rewrite.safe

    @property
    def is_valid(self) -> bool:
        """Whether it fits its tool."""
        return self.spec.is_valid if self.rewrite is None else self.rewrite.valid


@dataclass(frozen=True)
class _Origin:
    """Where a rewritten input comes from; no mapping, so that it is taken as it is where inputs are copied."""

    spec: Call
    rewrite: Rewrite


def block_of(spec: Call) -> ToolUseBlock:
    """Make the block with which the model asks for a call."""
    raw = spec.raw if (spec.raw or "").strip() else None
    return ToolUseBlock(spec.id, spec.tool, CallInput(spec), raw=raw)


def rewritten(spec: Call, rewrite: Rewrite) -> dict[str, Any]:
    """Make the input that a hook or a person gives for a call instead of its own."""
    return {**rewrite.input, _MARK: _Origin(spec, rewrite)}


def input_of(arguments: Mapping[str, Any]) -> CallInput:
    """Read what a tool is called with."""
    assert isinstance(arguments, CallInput), "a modelled tool is called with the inputs of its scenario"
    return arguments


def _validate(value: Any) -> CallInput:
    origin = value.get(_MARK) if isinstance(value, Mapping) else None
    given = CallInput(origin.spec, origin.rewrite) if isinstance(origin, _Origin) else value
    if not isinstance(given, CallInput) or not given.is_valid:
        raise ValueError("the scenario says that this input is invalid")
    return given


INPUT: Final[TypeAdapter[Any]] = TypeAdapter(Annotated[Any, PlainValidator(_validate)])
"""The input of every modelled tool."""
