"""What the hooks of one step come to, taken together (H1, H2, H5, H8). Pure, no waiting.

The rule: in registration order, the first hook that keeps the call from running names the outcome, the last rewrite
counts, and of the decisions the strictest.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ..calls.attachment import Attachment, AttachmentKind
from ..calls.content import Content
from ..calls.outcome import Outcome
from ..calls.output import sendable
from ..calls.tool import Tool
from .hooks import (
    AdditionalContext,
    Heard,
    HookOutcome,
    Message,
    PreventContinuation,
    Stage,
    Stop,
    StopReason,
    UpdatedInput,
    UpdatedOutput,
    Warned,
    heard_at,
)
from .permissions import Allow, Ask, Decision, Deny, strictest


class Said(NamedTuple):
    """What the hooks of one step come to.

    Args:
        attachments: what is kept beside the result.
        blocked: the outcome and the reason where a hook keeps the call from running.
        decision: the strictest decision on permission.
        updated_input: the last input a hook gave.
        allowed_with_input: whether a hook allowed the call and gave the input in one.
        updated_output: the last output a hook gave.
    """

    attachments: tuple[Attachment, ...] = ()
    blocked: tuple[Outcome, str] | None = None
    decision: Decision | None = None
    updated_input: Mapping[str, Any] | None = None
    allowed_with_input: bool = False
    updated_output: Content | None = None


NOTHING: Final = Said()


def sum_up(stage: Stage, tool: Tool, heard: Iterable[Heard]) -> Said:
    """Take together what the hooks of a stage said, given in registration order."""
    attachments: list[Attachment] = []
    decisions: list[Decision] = []
    blocked: tuple[Outcome, str] | None = None
    updated_input: Mapping[str, Any] | None = None
    updated_output: Content | None = None
    allowed_with_input = False
    for one in heard:
        counting, unheard = _sorted_out(stage, tool, one)
        attachments += [*unheard, *_attachments(one, counting)]
        decided = [outcome for outcome in counting if isinstance(outcome, Allow | Deny | Ask)]
        inputs = _inputs(counting)
        decisions += decided
        updated_input = inputs[-1] if inputs else updated_input
        allowed_with_input |= bool(inputs) and any(isinstance(decision, Allow) for decision in decided)
        updated_output = next((o.content for o in reversed(counting) if isinstance(o, UpdatedOutput)), updated_output)
        blocked = blocked or _blocked(one, counting)
    decision = strictest(decisions)
    return Said(tuple(attachments), blocked, decision, updated_input, allowed_with_input, updated_output)


def _sorted_out(stage: Stage, tool: Tool, one: Heard) -> tuple[list[HookOutcome], list[Attachment]]:
    """Part what counts at this stage from what does not, which leaves a warning."""
    counting, warnings = [], []
    for outcome in one.outcomes:
        unheard = heard_at(stage, tool, outcome)
        if unheard is None:
            counting.append(outcome)
        else:
            warnings.append(Attachment("hook_warning", one.hook.title, unheard))
    return counting, warnings


def _inputs(counting: list[HookOutcome]) -> list[Mapping[str, Any]]:
    given = []
    for outcome in counting:
        if isinstance(outcome, UpdatedInput):
            given.append(outcome.input)
        elif isinstance(outcome, Allow) and outcome.updated_input is not None:
            given.append(outcome.updated_input)
    return given


def _blocked(one: Heard, counting: list[HookOutcome]) -> tuple[Outcome, str] | None:
    for outcome in counting:
        if isinstance(outcome, Stop):
            reason = outcome.reason or _reason(counting) or f"The hook {one.hook.title} stopped this tool use"
            return Outcome.HOOK_BLOCKED, reason
    return (Outcome.HOOK_FAILED, f"The hook {one.hook.title} failed: {one.failure}") if one.insists else None


def _reason(counting: list[HookOutcome]) -> str:
    return next((outcome.text for outcome in reversed(counting) if isinstance(outcome, StopReason)), "")


def _attachments(one: Heard, counting: list[HookOutcome]) -> list[Attachment]:
    def attach(kind: AttachmentKind, content: Content) -> Attachment:
        return Attachment(kind, one.hook.title, sendable(content))

    kept = []
    for outcome in counting:
        if isinstance(outcome, Message):
            kept.append(attach("hook_message", outcome.text))
        elif isinstance(outcome, AdditionalContext):
            kept.append(attach("hook_context", outcome.content))
        elif isinstance(outcome, PreventContinuation):
            kept.append(attach("hook_prevented_continuation", _reason(counting)))
        elif isinstance(outcome, Warned):
            kept.append(attach("hook_warning", outcome.text))
    if one.failure is not None:
        kept.append(attach("hook_error", one.failure))
    if one.cancelled:
        kept.append(attach("hook_cancelled", "cut off because the call was stopped"))
    return kept
