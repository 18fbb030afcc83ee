"""What must come out of a scenario, for the one who runs it to compare.

The rule: what is left out is not judged. Times are integer nanoseconds from the turn's start.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Discriminator, Field, StrictBool, StrictInt, StrictStr, Tag

from executor.calls.attachment import AttachmentKind
from executor.calls.outcome import Outcome

from .durations import DurationNs
from .part import Json, Part
from .words import way_out

Engine = Literal["streaming", "batch", "serial"]
ENGINES: Final[tuple[Engine, ...]] = ("streaming", "batch", "serial")
SYNTHETIC: Final = frozenset(Outcome) - {Outcome.OK, Outcome.ERROR}
"""The outcomes that ``synthetic_error`` stands for in ``expect``: the executor's own, not the tool's."""


_OUTCOMES: Final = (*map(str, Outcome), "synthetic_error")


def _outcome_word(word: str) -> str:
    if word not in _OUTCOMES:
        raise ValueError(f"expected an outcome, got {word!r}; {way_out(word, _OUTCOMES)}")
    return word


OutcomeWord = Annotated[StrictStr, AfterValidator(_outcome_word), Field(json_schema_extra={"enum": [*_OUTCOMES]})]
Makespan = Annotated[
    Annotated[DurationNs, Tag("same")] | Annotated[dict[Engine, DurationNs], Tag("each")],
    Discriminator(lambda value: "each" if isinstance(value, dict) else "same"),
]


_BY_CALL: Final = (
    "started_at",
    "ended_at",
    "emitted_at",
    "asked_at",
    "answered_at",
    "work_ended_at",
    "saw",
    "given",
    "content",
    "says",
    "attachments",
)
"""The words that say something of single calls."""


class Expect(Part):
    """What must come out; all words are optional."""

    results: tuple[tuple[StrictStr, OutcomeWord], ...] | None = None
    """Pairs of id and outcome, all of them, in the order of emission."""
    withdrawn: tuple[StrictStr, ...] | None = None
    """The ids of results that were handed over and taken back with a response that failed, all of them (A8)."""
    started: tuple[StrictStr, ...] | None = None
    """The ids whose body was entered, all of them, in any order."""
    started_at: dict[StrictStr, DurationNs] = Field(default_factory=dict)
    ended_at: dict[StrictStr, DurationNs] = Field(default_factory=dict)
    emitted_at: dict[StrictStr, DurationNs] = Field(default_factory=dict)
    asked_at: dict[StrictStr, DurationNs] = Field(default_factory=dict)
    answered_at: dict[StrictStr, DurationNs] = Field(default_factory=dict)
    """When the questions whether a call may run were asked, and when they were closed."""
    work_ended_at: dict[StrictStr, DurationNs] = Field(default_factory=dict)
    """When the work of a call that went on in the background was over."""
    finished_by: DurationNs | None = None
    """The latest instant at which the turn may end."""
    makespan: Makespan | None = None
    """The very instant at which the turn ends, for all engines or for each."""
    never_overlap: tuple[tuple[StrictStr, StrictStr], ...] = ()
    context: dict[StrictStr, Json] | None = None
    """The context's values at the end."""
    saw: dict[StrictStr, dict[StrictStr, Json]] = Field(default_factory=dict)
    """The context's values as a call's body saw them, all of them."""
    given: dict[StrictStr, dict[StrictStr, Json]] = Field(default_factory=dict)
    """The input that a call's body was given, in a scenario in which it may differ from the model's."""
    content: dict[StrictStr, StrictStr | tuple[dict[StrictStr, Json], ...]] = Field(default_factory=dict)
    """What a call's result says, the whole of it."""
    says: dict[StrictStr, StrictStr] = Field(default_factory=dict)
    """A text that occurs in what a call's result says."""
    attachments: dict[StrictStr, tuple[tuple[AttachmentKind, StrictStr], ...]] = Field(default_factory=dict)
    """What hooks left beside a call's result, all of it: pairs of kind and text."""
    effect_unknown: tuple[StrictStr, ...] | None = None
    """The calls of which it is not known how much they did, all of them."""
    message_blocks: tuple[StrictStr, ...] | None = None
    """The blocks of the message that answers the response, in order: ``tool_result ID``, or their type."""
    should_continue: StrictBool | None = None
    """Whether the model may be asked again."""
    turn: Literal["completed", "stopped", "failed", "left"] | None = None
    """How the turn ends."""
    closing: tuple[tuple[StrictStr, OutcomeWord], ...] | None = None
    """Pairs of id and outcome that nobody took, all of them, in request order."""
    abandoned: tuple[StrictStr, ...] | None = None
    """What is left running because it cannot be stopped: ids, or ``ID: hook NAME`` and the like."""
    processes_left: tuple[StrictStr, ...] | None = None
    """The modelled processes that are there at the end, as ``ID/NUMBER``."""
    peak: StrictInt | None = Field(default=None, ge=0)
    """How many bodies ran at once at most."""
    engines: tuple[Engine, ...] = Field(default=ENGINES, min_length=1)
    """The engines under which this is expected."""

    def makespan_ns(self, engine: str) -> int | None:
        """Give the makespan expected under an engine, None where none is."""
        if isinstance(self.makespan, dict):
            return {str(name): ns for name, ns in self.makespan.items()}.get(engine)
        return self.makespan

    def ids(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Give every call id that is spoken of, each with the place where."""
        for word in ("results", "closing"):
            yield from (((word, n, 0), pair[0]) for n, pair in enumerate(getattr(self, word) or ()))
        for word in ("withdrawn", "started", "effect_unknown"):
            yield from (((word, n), name) for n, name in enumerate(getattr(self, word) or ()))
        yield from (
            (("never_overlap", n, m), name) for n, pair in enumerate(self.never_overlap) for m, name in enumerate(pair)
        )
        for word in _BY_CALL:
            yield from (((word, name), name) for name in getattr(self, word))
