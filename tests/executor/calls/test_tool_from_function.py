"""``@tool``: a name, a schema and a body from a function; its class, fail closed (E2)."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, TypeAdapter

from executor import CallHandle, StreamingToolExecutor, Tool, ToolSet, ToolUseBlock, tool
from sim import clock


def result_of(made: Tool, given: object) -> str:
    """Run one call of a tool and give its outcome and content."""

    async def main() -> str:
        async with StreamingToolExecutor(ToolSet([made])) as executor:
            executor.add(ToolUseBlock("a", made.name, given))
            [update] = [update async for update in executor.remaining_results()]
            assert update.result is not None
            return f"{update.result.outcome.value}: {update.result.content}"

    return clock.run(main())


def test_name_and_description_come_from_the_function() -> None:
    @tool
    async def read(path: str) -> str:
        """Read a file.

        All of it.
        """
        return path

    assert (read.name, read.description) == ("read", "Read a file.\n\nAll of it.")
    assert (read.concurrency_safe, read.cascades, read.interrupt, read.aliases) == (False, False, "block", ())


def test_what_is_said_of_a_tool_beats_what_its_function_says() -> None:
    @tool(name="Read", description="", interrupt="cancel", cascades=True, aliases=("View",))
    async def read(path: str) -> str:
        """Read a file."""
        return path

    assert (read.name, read.description, read.interrupt, read.cascades) == ("Read", "", "cancel", True)
    assert read.aliases == ("View",)


def test_the_schema_says_types_descriptions_defaults_and_what_is_required() -> None:
    @tool
    async def search(
        pattern: Annotated[str, Field(description="what to look for", min_length=1)],
        where: list[str],
        kind: Literal["text", "regex"] = "text",
        limit: Annotated[int, Field(description="at most", ge=1)] = 100,
    ) -> str:
        return pattern

    schema = search.input_schema
    assert schema["required"] == ["pattern", "where"]
    assert schema["additionalProperties"] is False
    assert schema["type"] == "object"
    wanted = {
        "pattern": {"description": "what to look for", "minLength": 1, "type": "string"},
        "where": {"items": {"type": "string"}, "type": "array"},
        "kind": {"default": "text", "enum": ["text", "regex"], "type": "string"},
        "limit": {"default": 100, "description": "at most", "minimum": 1, "type": "integer"},
    }
    told = {
        name: {key: value for key, value in part.items() if key != "title"}
        for name, part in schema["properties"].items()
    }
    assert told == wanted


def test_a_default_that_json_cannot_say_is_left_out_of_the_schema_and_still_used() -> None:
    nothing = object()

    @tool
    async def read(path: str, limit: Any = nothing) -> str:
        return f"{path} {limit is nothing}"

    assert "default" not in read.input_schema["properties"]["limit"]
    assert result_of(read, {"path": "a"}) == "ok: a True"


def test_a_parameter_that_was_left_out_takes_the_function_s_default() -> None:
    @tool
    async def read(path: str, limit: int = 100) -> str:
        return f"{path} {limit!r}"

    assert result_of(read, {"path": "a"}) == "ok: a 100"
    assert result_of(read, {"path": "a", "limit": "7"}) == "ok: a 7"


def test_parameters_may_be_called_as_no_model_field_may() -> None:
    @tool
    async def odd(
        _x: int,
        model_config: str,
        schema: str,
        json: str,
        self: str,
        copy: bool = False,
        model_fields: int = 0,
        *,
        handle: str = "",
    ) -> str:
        return f"{_x} {model_config} {schema} {json} {self} {copy} {model_fields} {handle}"

    given = {"_x": 1, "model_config": "m", "schema": "s", "json": "j", "self": "me", "copy": True, "handle": "h"}
    assert sorted(odd.input_schema["properties"]) == sorted([*given, "model_fields"])
    assert result_of(odd, given) == "ok: 1 m s j me True 0 h"


def test_a_parameter_without_a_hint_takes_anything() -> None:
    @tool
    async def echo(what, more=None):  # type: ignore[no-untyped-def]
        return f"{what!r} {more!r}"

    assert echo.input_schema["required"] == ["what"]
    assert result_of(echo, {"what": [1, {"a": None}]}) == "ok: [1, {'a': None}] None"


@pytest.mark.parametrize("name", ["call", "handle", "ctx"])
def test_the_parameter_annotated_with_the_handle_receives_it_and_is_no_input(name: str) -> None:
    space: dict[str, Any] = {"CallHandle": CallHandle}
    exec(f"async def whoami(path: str, {name}: CallHandle): return {name}.call_id + path", space)
    made = tool(space["whoami"])
    assert list(made.input_schema["properties"]) == ["path"]
    assert result_of(made, {"path": "!"}) == "ok: a!"
    assert result_of(made, {"path": "!", name: "x"}).startswith("invalid_input:")


def test_a_tool_may_take_nothing_at_all() -> None:
    @tool
    async def now() -> str:
        return "now"

    assert now.input_schema["properties"] == {}
    assert result_of(now, {}) == "ok: now"
    assert result_of(now, {"at": 1}).startswith("invalid_input:")


async def with_args(*paths: str) -> None: ...
async def with_kwargs(**paths: str) -> None: ...
async def with_positional(path: str, /) -> None: ...


@pytest.mark.parametrize(
    ("function", "parameter"), [(with_args, "*paths"), (with_kwargs, "**paths"), (with_positional, "path")]
)
def test_parameters_that_no_model_can_name_are_refused(function: Callable[..., Any], parameter: str) -> None:
    with pytest.raises(TypeError) as told:
        tool(function)
    assert str(told.value) == (
        f"tool {function.__name__}: expected parameters that a model gives by name, as in "
        f"(path: str, limit: int = 10), got {parameter}: str"
    )


def test_a_function_without_a_name_is_a_tool_only_under_a_name_that_is_declared() -> None:
    with pytest.raises(
        TypeError, match=r"^tool: expected a function with a name, got .*: declare one, tool\(name=...\)$"
    ):
        tool(lambda path: path)
    assert tool(name="echo")(lambda path: path).name == "echo"


class Opaque:
    pass


@pytest.mark.parametrize("hint", [Opaque, Callable[[], int]])
def test_a_hint_without_a_schema_is_refused_when_the_tool_is_made(hint: Any) -> None:
    """Not when the schema is first asked for: then it is too late to mend the function."""

    async def read(path: Any) -> None: ...

    read.__annotations__["path"] = hint
    with pytest.raises(TypeError, match="tool read: its type hints have no JSON schema"):
        tool(read)


@pytest.mark.parametrize(
    ("declared", "safe"),
    [
        (True, True),
        (False, False),
        (lambda given: True, True),
        (lambda given: 1, True),
        (lambda given: "yes", True),
        (lambda given: 0, False),
        (lambda given: None, False),
        (lambda given: "", False),
        (lambda given: given["missing"], False),
        (1, False),
        ("yes", False),
        (None, False),
    ],
)
def test_only_a_clean_yes_makes_a_call_safe(declared: Any, safe: bool) -> None:
    """E2: fail closed."""

    async def read() -> None: ...

    assert tool(concurrency_safe=declared)(read).is_concurrency_safe({}) is safe


def test_an_answer_whose_truth_cannot_be_told_makes_a_call_exclusive() -> None:
    """E2."""

    class Undecided:
        def __bool__(self) -> bool:
            raise ValueError("ambiguous")

    async def read() -> None: ...

    assert tool(concurrency_safe=lambda given: Undecided())(read).is_concurrency_safe({}) is False


def test_an_asynchronous_classifier_has_not_answered_so_the_call_is_exclusive() -> None:
    """E2: a coroutine is true, but it is no clean answer."""

    async def classify(given: Mapping[str, Any]) -> bool:
        return False

    async def read() -> None: ...

    assert tool(concurrency_safe=classify)(read).is_concurrency_safe({}) is False  # type: ignore[arg-type]


def test_the_classifier_is_asked_about_the_validated_input() -> None:
    """E2."""
    asked: list[Any] = []

    @tool(concurrency_safe=lambda given: asked.append(dict(given)) or True)  # type: ignore[func-returns-value]
    async def read(limit: int, path: str = "here") -> str:
        return path

    assert result_of(read, {"limit": "7"}) == "ok: here"
    assert asked == [{"limit": 7}]


def test_tools_are_found_by_name_and_then_by_alias() -> None:
    """E2: a living name beats a retired one; aliases reach only tools of this set."""

    async def body() -> None: ...

    read = tool(name="Read", aliases=("View", "Edit"))(body)
    edit = tool(name="Edit", aliases=("Patch",))(body)
    tools = ToolSet([read, edit])
    found = {name: tools.find(name) for name in ("Read", "View", "Edit", "Patch", "read", "", "Grep")}
    assert found == {"Read": read, "View": read, "Edit": edit, "Patch": edit, "read": None, "": None, "Grep": None}
    assert (list(tools), len(tools)) == ([read, edit], 2)
    assert ToolSet([edit]).find("View") is None


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"name": "Read"}, {"name": "Read"}, "two tools are named 'Read'"),
        (
            {"name": "Read", "aliases": ("View",)},
            {"name": "Look", "aliases": ("View",)},
            "alias 'View' is claimed by 'Read' and 'Look'",
        ),
    ],
)
def test_two_tools_may_not_claim_one_name(first: dict[str, Any], second: dict[str, Any], message: str) -> None:
    async def body() -> None: ...

    with pytest.raises(ValueError, match=message):
        ToolSet([tool(**first)(body), tool(**second)(body)])


def test_a_body_that_gives_back_no_awaitable_has_failed() -> None:
    """X4: a hand-made tool may be wrong; its call still gets its result."""
    made = Tool(name="Broken", body=lambda handle, given: "text", input=TypeAdapter(dict[str, Any]))  # type: ignore[arg-type, return-value]
    assert result_of(made, {}).startswith("error: object str can't be used in 'await' expression")


def test_a_function_that_was_not_made_a_tool_is_refused_in_a_set_of_tools() -> None:
    def plain() -> None: ...

    with pytest.raises(TypeError, match=r"expected tools, got <function .*plain.*>: make one of a function with @tool"):
        ToolSet([plain])  # type: ignore[list-item]


def test_a_tool_given_for_a_set_of_tools_is_told_to_stand_in_a_list() -> None:
    @tool
    async def read() -> str:
        return ""

    with pytest.raises(TypeError, match=r"^expected tools in a list, got the tool 'read' alone: ToolSet\(\[read\]\)$"):
        ToolSet(read)  # type: ignore[arg-type]
