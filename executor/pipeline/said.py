"""What the hooks of one step come to, taken together (H1, H2, H5, H8). Pure, no waiting.

The rule: in registration order, the first hook that keeps the call from running names the outcome, the last rewrite
counts, and of the decisions the strictest.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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


def sum_up(stage: Stage, tool: Tool, heard: Iterable[Heard]) -> Said:
    """Take together what the hooks of a stage said, given in registration order."""
    attachments: list[Attachment] = []
    decisions: list[Decision] = []
    said = Said()
    for one in heard:
        counting = []
        for outcome in one.outcomes:
            unheard = heard_at(stage, tool, outcome)
            if unheard is None:
                counting.append(outcome)
            else:
                attachments.append(Attachment("hook_warning", one.hook.title, unheard))
        attachments += _attachments(one, counting)
        decisions += [outcome for outcome in counting if isinstance(outcome, Allow | Deny | Ask)]
        said = _after(said, one, counting)
    return said._replace(attachments=tuple(attachments), decision=strictest(decisions))


def _after(said: Said, one: Heard, counting: list[HookOutcome]) -> Said:
    gave_input = allowed = False
    for outcome in counting:
        if isinstance(outcome, UpdatedInput):
            said, gave_input = said._replace(updated_input=outcome.input), True
        elif isinstance(outcome, Allow):
            allowed = True
            if outcome.updated_input is not None:
                said, gave_input = said._replace(updated_input=outcome.updated_input), True
        elif isinstance(outcome, UpdatedOutput):
            said = said._replace(updated_output=outcome.content)
        elif isinstance(outcome, Stop) and said.blocked is None:
            reason = outcome.reason or _reason(counting) or f"The hook {one.hook.title} stopped this tool use"
            said = said._replace(blocked=(Outcome.HOOK_BLOCKED, reason))
    if one.insists and said.blocked is None:
        said = said._replace(blocked=(Outcome.HOOK_FAILED, f"The hook {one.hook.title} failed: {one.failure}"))
    return said._replace(allowed_with_input=True) if gave_input and allowed else said


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
