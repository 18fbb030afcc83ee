"""What a call's ending comes to: its result, and whether it takes its siblings along. Pure, no waiting (A2, A6)."""

import asyncio

from ..calls.call import Call
from ..calls.outcome import Outcome
from ..calls.output import Collected, fitted
from ..calls.result import ToolResult
from ..pipeline import synthetic
from ..pipeline.run import STOPPED, Ending
from .options import CascadePolicy, Options
from .stopping import Stopping


def ending_of(task: asyncio.Task[Ending]) -> Ending:
    """Read how the task of a call ended, whatever became of it."""
    try:
        return task.result()
    except asyncio.CancelledError:
        return STOPPED
    except BaseException as error:
        return Ending(type(error).__name__, is_error=True)


def result_of(call: Call, ending: Ending, stopping: Stopping, options: Options) -> ToolResult:
    """Write the one result of a call whose body, or what stood before it, came to its end (A6)."""
    if ending.answer is not None:
        return ending.answer
    try:
        content = fitted(ending.content, output_limit(call, options))
        if ending.stopped and stopping.stops(call):
            return stopping.result(call, content)
        if ending.is_error:
            return synthetic.failed(call, content)
        result = synthetic.make(call, Outcome.OK, content)
    except Exception as error:
        # Content that refers to itself, for one; whatever it is, the call has to be answered.
        return synthetic.failed(call, f"the output cannot be written down: {str(error) or type(error).__name__}")
    call.modifier = ending.modifier
    return result


def output_limit(call: Call, options: Options) -> int | None:
    """How many characters of output a call's result may have; the tool's own word counts more (X6)."""
    return (call.tool.max_output if call.tool is not None else None) or options.max_output


def keep(call: Call, text: str, options: Options) -> None:
    """Keep a piece of a body's output in case the call is stopped (A10)."""
    if call.partial is None:
        call.partial = Collected(output_limit(call, options))
    call.partial.add(text)


def cascades(call: Call, outcome: Outcome, policy: CascadePolicy) -> bool:
    """Whether this ending cancels the siblings (A2, A3)."""
    failed = outcome in (Outcome.ERROR, Outcome.TIMEOUT) and call.started
    if not failed or call.tool is None or not call.tool.cascades:
        return False
    return policy == "any" or (policy == "exclusive" and call.was_exclusive)
