"""Agent frameworks as executors to be examined, unmodified: each runs a whole response's calls by its own rules.

The rule: a framework gets tools that run the scenario's bodies, and a model of its own kind that asks for the
scenario's calls; what it makes of them is what is judged. `make frameworks` examines them. No times here.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from executor import Outcome, ToolResult, ToolUseBlock
from sim import OwnStage, from_turn

NO_INPUT = {"type": "object", "properties": {}}


class Answers:
    """Runs calls, and keeps their results: a framework hands on texts only."""

    def __init__(self, stage: OwnStage, blocks: Sequence[ToolUseBlock]) -> None:
        self._stage = stage
        self._blocks = {block.id: block for block in blocks}
        self._results: dict[str, ToolResult] = {}

    async def run(self, call_id: str) -> str:
        """Run a call's body and give its text."""
        self._results[call_id] = await self._stage.call(self._blocks[call_id])
        return str(self._results[call_id].content)

    def of(self, call_ids: Iterable[str]) -> list[ToolResult]:
        """Give the results in the framework's order; what it answered without a body's result is its own error."""
        return [self._results.get(call_id) or self._own_error(self._blocks[call_id]) for call_id in call_ids]

    def _own_error(self, block: ToolUseBlock) -> ToolResult:
        if self._stage.tools.find(block.name) is None:
            return ToolResult(block.id, block.name, Outcome.UNKNOWN_TOOL, "")
        return ToolResult(block.id, block.name, Outcome.ERROR, "", started=True)


def names_of(stage: OwnStage) -> Iterator[tuple[str, bool]]:
    """Give each name by which a tool is called, and whether the tool as a whole is declared safe."""
    for tool in stage.tools:
        for name in (tool.name, *tool.aliases):
            yield name, stage.scenario.known_tools[tool.name].safe is True


async def langgraph(stage: OwnStage, blocks: Sequence[ToolUseBlock]) -> list[ToolResult]:
    """Let LangGraph's ``ToolNode`` answer an assistant message."""
    from langchain_core.messages import AIMessage
    from langchain_core.tools import InjectedToolCallId, StructuredTool
    from langgraph.graph import END, START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode

    answers = Answers(stage, blocks)

    async def body(call_id: Annotated[str, InjectedToolCallId]) -> str:
        """Run the body."""
        return await answers.run(call_id)

    node = ToolNode([StructuredTool.from_function(coroutine=body, name=name) for name, _ in names_of(stage)])
    graph = StateGraph(MessagesState).add_node("tools", node).add_edge(START, "tools").add_edge("tools", END).compile()
    asked = [{"name": block.name, "args": {}, "id": block.id, "type": "tool_call"} for block in blocks]
    state = await graph.ainvoke({"messages": [AIMessage("", tool_calls=asked)]})
    return answers.of(message.tool_call_id for message in state["messages"][1:])


async def pydantic_ai(stage: OwnStage, blocks: Sequence[ToolUseBlock]) -> list[ToolResult]:
    """Let an agent of pydantic-ai run a response of its ``FunctionModel``; exclusive tools are ``sequential``."""
    from pydantic_ai import Agent, RunContext, Tool
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    answers = Answers(stage, blocks)
    asked = [ToolCallPart(block.name, {}, tool_call_id=block.id) for block in blocks]
    answered: list[str] = []

    async def respond(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        if len(messages) == 1:
            return ModelResponse(parts=asked or [TextPart("nothing to do")])
        answered.extend(part.tool_call_id for part in messages[-1].parts)
        return ModelResponse(parts=[TextPart("done")])

    async def body(context: RunContext[None]) -> str:
        return await answers.run(str(context.tool_call_id))

    tools = [
        Tool.from_schema(body, name, name, NO_INPUT, takes_ctx=True, sequential=not safe)
        for name, safe in names_of(stage)
    ]
    await Agent(FunctionModel(respond), tools=tools).run("go")
    return answers.of(answered)


async def openai_agents(stage: OwnStage, blocks: Sequence[ToolUseBlock]) -> list[ToolResult]:
    """Let openai-agents' runner run a response of a model that says what the scenario does."""
    from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, Runner, Usage
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    answers = Answers(stage, blocks)
    answered: list[str] = []

    class Scripted(Model):
        """Asks for the calls, then is done."""

        async def get_response(self, *_: Any, input: Any, **more: Any) -> ModelResponse:
            told = input if isinstance(input, list) else []
            answered.extend(item["call_id"] for item in told if item.get("type") == "function_call_output")
            asked = [
                ResponseFunctionToolCall(arguments="{}", call_id=block.id, name=block.name, type="function_call")
                for block in blocks
            ]
            text = ResponseOutputText(annotations=[], text="done", type="output_text")
            done = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            return ModelResponse(output=[done] if answered or not asked else [*asked], usage=Usage(), response_id=None)

        def stream_response(self, *how: Any, **options: Any) -> Any:
            raise NotImplementedError

    async def body(context: Any, _: str) -> str:
        return await answers.run(context.tool_call_id)

    tools = [FunctionTool(name, name, NO_INPUT, body, strict_json_schema=False) for name, _ in names_of(stage)]
    config = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
    await Runner.run(Agent(name="a", model=Scripted(), tools=[*tools]), "go", run_config=config)
    return answers.of(answered)


ENGINES = {
    "langgraph": ("langgraph", from_turn(langgraph)),
    "pydantic_ai": ("pydantic-ai-slim", from_turn(pydantic_ai)),
    "openai_agents": ("openai-agents", from_turn(openai_agents)),
}
"""By name: the distribution it comes in, and the executor."""
