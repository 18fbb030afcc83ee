"""What can be called: a name, an input schema, a body, and what the executor must know to schedule it.

The rule: whatever is not declared safe is exclusive (E2).
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, NotRequired, Unpack, get_type_hints, overload

from pydantic import ConfigDict, Field, PydanticUserError, TypeAdapter, with_config
from pydantic_core import PydanticSerializationError, to_jsonable_python
from typing_extensions import TypedDict

from .body import Body, CallHandle, body_of

Interrupt = Literal["cancel", "block"]
"""What a user's new message does to a running call: stops it, or waits for it (A7)."""

Safety = bool | Callable[[Mapping[str, Any]], bool]
"""Whether a call may run beside other safe ones: for every input, or decided from the validated input (E2)."""


Subjects = Callable[[Mapping[str, Any]], Sequence[str] | None]
"""Tells from a call's input what it is about, for permission rules; ``None``: that cannot be told."""

Backfill = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Gives a call's input as hooks and permissions should see it (X2)."""

_NAMELESS: Final[str] = (lambda: None).__name__

DESCRIBING: Final = ("command", "file_path", "path", "pattern")
"""The inputs that tell one call of a tool from another, the most telling first."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Args:
        name: what the model calls it.
        body: runs a call.
        input: validates a call's input and describes it as JSON Schema.
        description: what the model is told.
        concurrency_safe: see :data:`Safety`; undeclared means exclusive.
        cascades: whether its error may cancel its siblings (A2): shell tools.
        interrupt: see :data:`Interrupt`.
        aliases: retired names that still reach it.
        needs_permission: whether it runs only when a rule, a hook or a person allows it.
        requires_interaction: whether a person has to answer it, whatever the rules allow (H2).
        subjects: see :data:`Subjects`; by default the command, path or pattern of the input.
        backfill: adds what hooks and permissions should see, such as an expanded path; the body never sees it (X2).
        timeout_s: seconds from admission to settlement, hooks, question and body together; ``None`` for no limit (X5).
        max_output: how many characters of output a result may have; ``None`` for what the options say (X6).
        loaded_by: the tool that loads this one's input schema, where the model was not sent it (X1).

    Raises:
        ValueError: a limit outside its range.
    """

    name: str
    body: Body
    input: TypeAdapter[Any]
    description: str = ""
    concurrency_safe: Safety = False
    cascades: bool = False
    interrupt: Interrupt = "block"
    aliases: tuple[str, ...] = field(default=())
    needs_permission: bool = False
    requires_interaction: bool = False
    subjects: Subjects | None = None
    backfill: Backfill | None = None
    timeout_s: float | None = None
    max_output: int | None = None
    loaded_by: str | None = None

    def __post_init__(self) -> None:
        if self.timeout_s is not None and not self.timeout_s > 0:
            raise ValueError(f"tool {self.name}: timeout_s: expected seconds above 0, or None, got {self.timeout_s!r}")
        if self.max_output is not None and not self.max_output > 0:
            raise ValueError(f"tool {self.name}: max_output: expected a number from 1 on, got {self.max_output!r}")

    @property
    def is_guarded(self) -> bool:
        """Whether its calls need a decision before their body, even where there are no hooks and no rules."""
        return self.needs_permission or self.requires_interaction

    def subjects_of(self, arguments: Mapping[str, Any]) -> Sequence[str] | None:
        """Tell what a call is about, ``None`` where that cannot be told; a teller that raises cannot tell."""
        if self.subjects is None:
            return next(([what] for key in DESCRIBING if isinstance(what := arguments.get(key), str)), None)
        try:
            return self.subjects(arguments)
        except Exception:
            return None

    @property
    def input_schema(self) -> dict[str, Any]:
        """The input's JSON Schema, as the Messages API wants it."""
        return self.input.json_schema()

    def is_concurrency_safe(self, validated: Mapping[str, Any]) -> bool:
        """Decide whether a call with this validated input may run beside others; fail closed (E2)."""
        if not callable(self.concurrency_safe):
            return self.concurrency_safe is True
        try:
            answer: Any = self.concurrency_safe(validated)
            if inspect.iscoroutine(answer):
                answer.close()
                return False
            return bool(answer)
        except Exception:
            return False


class Declared(TypedDict, total=False):
    """What can be declared about a tool beside its function: fields of :class:`Tool`."""

    name: str
    description: str
    concurrency_safe: Safety
    cascades: bool
    interrupt: Interrupt
    aliases: tuple[str, ...]
    needs_permission: bool
    requires_interaction: bool
    subjects: Subjects
    backfill: Backfill
    timeout_s: float
    max_output: int
    loaded_by: str


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(**declared: Unpack[Declared]) -> Callable[[Callable[..., Any]], Tool]: ...
def tool(
    function: Callable[..., Any] | None = None, /, **declared: Unpack[Declared]
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a :class:`Tool` of a function, its input schema from the type hints.

    What else is declared are fields of :class:`Tool`; the name and the docstring are the function's by default. An
    ``async`` function runs on the loop, any other in a thread, which cannot be stopped (A9). A parameter annotated
    :class:`CallHandle` receives the handle and is no part of the input.

    Raises:
        TypeError: the function takes ``*args``, ``**kwargs`` or positional-only parameters, or a hint has no schema; or
            it has no name, as a lambda has none, and none is declared.

    >>> @tool(concurrency_safe=True)
    ... async def read(path: str, limit: int = 100) -> str:
    ...     "Read a file."
    ...     return path
    >>> read.name, read.input_schema["required"], read.input.validate_python({"path": "a.ts"})
    ('read', ['path'], {'path': 'a.ts'})
    """

    def make(function: Callable[..., Any]) -> Tool:
        name: str = declared.get("name", getattr(function, "__name__", _NAMELESS))
        if name == _NAMELESS:
            raise TypeError(f"tool: expected a function with a name, got {function!r}: declare one, tool(name=...)")
        handle_name, adapter = _input_of(function, name)
        told: Declared = {"name": name, "description": inspect.getdoc(function) or ""}
        return Tool(body=body_of(function, handle_name), input=adapter, **(told | declared))

    return make if function is None else make(function)


def _input_of(function: Callable[..., Any], name: str) -> tuple[str | None, TypeAdapter[Any]]:
    """Read a function's parameters: which one takes the handle, and a validator for the others.

    A TypedDict rather than a model, because a model refuses parameter names such as ``_x`` or ``schema``.
    """
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    handle_name: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(
                f"tool {name}: expected parameters that a model gives by name, as in (path: str, limit: int = 10), "
                f"got {parameter}"
            )
        hint = hints.get(parameter.name, Any)
        if hint is CallHandle:
            handle_name = parameter.name
        elif parameter.default is parameter.empty:
            fields[parameter.name] = hint
        else:
            fields[parameter.name] = NotRequired[_with_default(hint, parameter.default)]
    make_shape: Any = TypedDict
    shape = with_config(ConfigDict(extra="forbid"))(make_shape(f"{name}_input", fields))
    try:
        adapter = TypeAdapter(shape)
        adapter.json_schema()
    except PydanticUserError as error:
        raise TypeError(f"tool {name}: its type hints have no JSON schema: {error.message}") from error
    return handle_name, adapter


def _with_default(hint: Any, default: Any) -> Any:
    """Say a parameter's default in its schema, where JSON can say it."""
    try:
        return Annotated[hint, Field(json_schema_extra={"default": to_jsonable_python(default)})]
    except PydanticSerializationError:
        return hint
