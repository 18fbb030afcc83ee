"""Whether a call may run: what hooks, rules and people decide, and which of them wins (H2–H4). Pure, no waiting.

The rule: deny beats ask beats allow; a hook's ``allow`` skips only the prompt, never a rule.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from ..calls.tool import Tool
from .rules import Rule


class Allow(NamedTuple):
    """The call may run, with another input than its own if one is given."""

    updated_input: Mapping[str, Any] | None = None


class Deny(NamedTuple):
    """The call may not run.

    Args:
        reason: told to the model.
        by_person: whether a person refused it, which ends the turn (A4); an automatic denial ends the call only (H4).
            Counts only as an answer to a question: what hooks and rules deny is automatic.
    """

    reason: str = ""
    by_person: bool = True


class Ask(NamedTuple):
    """Somebody has to be asked whether the call may run; the reason is shown to them."""

    reason: str = ""


Decision = Allow | Deny | Ask

ALLOWED: Final = Allow()


class Ruling(NamedTuple):
    """What was decided without asking, and by what; no decision where nobody spoke of the call."""

    decision: Decision | None
    by: Literal["rule", "hook", "tool", "nobody"]


@dataclass(frozen=True, slots=True)
class PermissionRules:
    """The rules of an installation, see :class:`~executor.pipeline.rules.Rule` for their form.

    A call may have several subjects, as a shell command has several parts: an allow rule must cover all of them, a deny
    or ask rule need only meet one. Where a tool cannot tell its subjects, no allow rule with a pattern covers the call,
    and a deny or ask rule with one asks: what cannot be read cannot be cleared.

    Args:
        deny: what may not run.
        ask: what somebody is asked about.
        allow: what may run without asking.

    Raises:
        ValueError: a rule that is not of that form, or a text where several rules belong.

    >>> PermissionRules(deny=("Bash(rm:*)", "Edit(**/.git/**)"), allow=("Read", "Bash(git log:*)"))
    PermissionRules(deny=('Bash(rm:*)', 'Edit(**/.git/**)'), ask=(), allow=('Read', 'Bash(git log:*)'))
    """

    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    _about: dict[tuple[str, ...], tuple[list[Rule], ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for name, rules in (("deny", self.deny), ("ask", self.ask), ("allow", self.allow)):
            if isinstance(rules, str):  # else each letter of it would be a rule, and the tool it names be free
                raise ValueError(f"{name}: expected a sequence of rules, got the text {rules!r}: write ({rules!r},)")
            for text in rules:
                Rule.parse(text)

    def decide(self, tool: Tool, arguments: Mapping[str, Any]) -> Decision | None:
        """Decide by rules alone; ``None`` where none speaks of the call (H2).

        Args:
            tool: the tool that is called, which tells what the call is about.
            arguments: the input as the hooks left it (H3).
        """
        denying, asking, allowing = self._rules_about(tool)
        if not (denying or asking or allowing):
            return None
        subjects = tool.subjects_of(arguments)
        for rule in denying:
            if rule.pattern is None or (subjects is not None and rule.meets(subjects)):
                return Deny(f"the rule {rule.text} denies it", by_person=False)
        for rule in asking if subjects is not None else (*denying, *asking):
            if subjects is None or rule.meets(subjects):
                return Ask(f"the rule {rule.text} wants it asked")
        if subjects:
            return ALLOWED if _cover(allowing, subjects) else None
        return ALLOWED if any(rule.pattern is None for rule in allowing) else None

    def _rules_about(self, tool: Tool) -> tuple[list[Rule], ...]:
        names = (tool.name, *tool.aliases)
        if names not in self._about:
            kinds = [[Rule.parse(text) for text in texts] for texts in (self.deny, self.ask, self.allow)]
            self._about[names] = tuple([rule for rule in rules if rule.names(names)] for rules in kinds)
        return self._about[names]


def _cover(rules: Iterable[Rule], subjects: Iterable[str]) -> bool:
    """Whether there is a rule for each of the subjects."""
    for subject in subjects:
        for rule in rules:
            if rule.covers(subject):
                break
        else:
            return False
    return True


def resolve(tool: Tool, rules: Decision | None, hooks: Decision | None, *, hook_gave_input: bool) -> Ruling:
    """Bring what rules and hooks decided together (H2).

    Args:
        tool: the tool that is called.
        rules: what the rules decide of the input as the hooks left it.
        hooks: the strictest decision of the hooks.
        hook_gave_input: whether a hook that allows the call supplied its input; then that hook *was* the interaction.

    Returns:
        The decision; none where nobody decided: then whoever may be asked is asked.
    """
    if isinstance(rules, Deny):
        return Ruling(rules, "rule")
    if isinstance(hooks, Deny):
        return Ruling(hooks, "hook")
    if isinstance(rules, Ask):
        return Ruling(rules, "rule")
    if tool.requires_interaction and not (isinstance(hooks, Allow) and hook_gave_input):
        return Ruling(Ask(f"{tool.name} needs an answer from a person"), "tool")
    if hooks is not None:
        return Ruling(hooks, "hook")
    if rules is not None:
        return Ruling(rules, "rule")
    return Ruling(Ask(f"{tool.name} runs only when it is allowed"), "tool") if tool.needs_permission else NOBODY


NOBODY: Final = Ruling(None, "nobody")
_STRICTNESS: Final[dict[type, int]] = {Deny: 0, Ask: 1, Allow: 2}


def strictest(decisions: Iterable[Decision]) -> Decision | None:
    """Give the strictest of several decisions, the first among equals: deny beats ask beats allow."""
    return min(decisions, key=lambda decision: _STRICTNESS[type(decision)], default=None)
