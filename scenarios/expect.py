"""What must come out of a scenario, for the one who runs it to compare.

The rule: what is left out is not judged. Times are integer nanoseconds from the turn's start.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Discriminator, Field, StrictInt, StrictStr, Tag

from executor.calls.outcome import Outcome

from .durations import DurationNs
from .part import Json, Part
from .words import way_out

Engine = Literal["streaming", "batch", "serial"]
ENGINES: Final[tuple[Engine, ...]] = ("streaming", "batch", "serial")
SYNTHETIC: Final = frozenset(Outcome) - {Outcome.OK, Outcome.ERROR}
"""The outcomes that ``synthetic_error`` stands for in ``expect``: the executor's own, not the tool's."""


def _outcome_word(word: str) -> str:
    known = [*map(str, Outcome), "synthetic_error"]
    if word not in known:
        raise ValueError(f"expected an outcome, got {word!r}; {way_out(word, known)}")
    return word


OutcomeWord = Annotated[StrictStr, AfterValidator(_outcome_word)]
Makespan = Annotated[
    Annotated[DurationNs, Tag("same")] | Annotated[dict[Engine, DurationNs], Tag("each")],
    Discriminator(lambda value: "each" if isinstance(value, dict) else "same"),
]


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
    finished_by: DurationNs | None = None
    """The latest instant at which the turn may end."""
    makespan: Makespan | None = None
    """The very instant at which the turn ends, for all engines or for each."""
    never_overlap: tuple[tuple[StrictStr, StrictStr], ...] = ()
    context: dict[StrictStr, Json] | None = None
    """The context's values at the end."""
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
        yield from ((("results", n, 0), pair[0]) for n, pair in enumerate(self.results or ()))
        for word in ("withdrawn", "started"):
            yield from (((word, n), name) for n, name in enumerate(getattr(self, word) or ()))
        yield from (
            (("never_overlap", n, m), name) for n, pair in enumerate(self.never_overlap) for m, name in enumerate(pair)
        )
        for word in ("started_at", "ended_at", "emitted_at"):
            yield from (((word, name), name) for name in getattr(self, word))
