"""What a scenario says of permission: rules, who answers questions, and when. Nothing here runs.

The rule: a question has one answer at most, and where nothing says when, none. Unit: integer nanoseconds.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StrictStr,
    model_serializer,
    model_validator,
)
from pydantic.config import JsonDict

from executor.pipeline.rules import Rule

from .durations import Distribution, LimitNs
from .hooks import Rewrite
from .part import Part, fault


def _rule(text: str) -> str:
    try:
        Rule.parse(text)
    except ValueError:
        raise ValueError(f"expected a rule of the form Tool or Tool(pattern), got {text!r}") from None
    return text


RuleText = Annotated[StrictStr, AfterValidator(_rule)]


def _or_a_word(schema: JsonDict) -> None:
    """Tell the JSON Schema that what is said will do for the whole."""
    whole = dict(schema)
    schema.clear()
    properties = whole["properties"]
    assert isinstance(properties, dict)
    schema["anyOf"] = [properties["says"], whole]


class Answer(Part):
    """What somebody says when asked whether a call may run, and how long after the question; a word alone will do.

    >>> Answer.model_validate("refuse").says
    'refuse'
    """

    model_config = ConfigDict(json_schema_extra=_or_a_word)

    says: Literal["allow", "refuse", "deny", "never"]
    """``refuse`` is a person's refusal, which ends the turn (A4); ``deny`` an automatic one, after which it goes on."""
    after: Distribution = 0
    reason: StrictStr = ""
    rewrite: Rewrite | None = None
    """With ``allow``: the input they give instead."""

    @model_validator(mode="before")
    @classmethod
    def _from_a_word(cls, value: Any) -> Any:
        return {"says": value} if isinstance(value, str) else value

    @model_serializer(mode="wrap", when_used="json")
    def _to_a_word(self, handler: SerializerFunctionWrapHandler) -> Any:
        words = handler(self)
        return words["says"] if words.keys() == {"says"} else words

    @model_validator(mode="after")
    def _words_fit(self) -> Self:
        if self.rewrite is not None and self.says != "allow":
            raise fault(("rewrite",), f"expected rewrite only with says: allow, got it with says: {self.says}")
        if self.reason and self.says not in ("refuse", "deny"):
            raise fault(("reason",), f"expected reason only with says: refuse or deny, got it with says: {self.says}")
        if self.says == "never" and self.after != 0:
            raise fault(("after",), "expected no time for an answer that never comes; leave out after, or change says")
        return self


class Permissions(Part):
    """The installation's rules (H2) and whom it asks."""

    deny: tuple[RuleText, ...] = ()
    ask: tuple[RuleText, ...] = ()
    allow: tuple[RuleText, ...] = ()
    asker: Literal["person", "none"] | None = None
    """Whether anybody is there to be asked; not said: if the scenario has an answer."""
    default: Literal["allow", "ask"] = "allow"
    """What becomes of a call that no rule, hook or tool speaks of, where somebody is there: it may run, or is asked."""
    answer: Answer | None = None
    """What is said of a call where neither it nor its tool has an answer; nothing: the question stays open."""
    timeout_ns: LimitNs | None = Field(default=None, alias="timeout")
    """How long a question may stay open before the call is denied (X5)."""
