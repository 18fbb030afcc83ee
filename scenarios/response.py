"""How a response comes in: as whole blocks, or as the bytes of the wire, given by instants or by a rate.

The rule: a call's ``at`` is the instant at which its block is complete; where there is a ``rate`` no call says one,
the rate and the scenario's seed do. Times are nanoseconds, in YAML words.
"""

from typing import Annotated, Final, Literal, Self, get_args

from pydantic import BeforeValidator, Field, PlainSerializer, StrictBool, StrictInt, model_validator

from executor.wire.assembler import Start

from .durations import Distribution, DurationNs
from .part import Count, Part, fault
from .words import hint, shown

Cuts = Literal["whole", "events", "random"]
_CUTS: Final = get_args(Cuts)


def _rate(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 10**6:
        raise ValueError(f"expected tokens in a second, more than 0 and up to a million, got {shown(value)}")
    return float(value)


def _chunks(value: object) -> object:
    if value in _CUTS or (type(value) is int and value > 0):
        return value
    raise ValueError(f"expected {', '.join(_CUTS)} or a number of bytes, got {shown(value)}{hint(value, _CUTS)}")


TokensInASecond = Annotated[
    float,
    BeforeValidator(_rate, json_schema_input_type=Annotated[float, Field(gt=0, le=10**6)]),
    PlainSerializer(lambda rate: int(rate) if rate.is_integer() else rate, when_used="json"),
]
Tokens = Annotated[StrictInt, Field(ge=0)]
_OF_BYTES: Final = ("start", "chunks", "lines", "pings_ns", "unknown", "interleaved", "stop_reason")
_OF_A_RATE: Final = ("first_token", "jitter", "stalls")
StopReason = Literal["tool_use", "end_turn", "max_tokens", "pause_turn", "refusal"]


class Stall(Part):
    """A time in which nothing arrives: what was due from ``at`` on comes that much later."""

    at_ns: DurationNs = Field(alias="at")
    takes_ns: DurationNs = Field(alias="takes")


class Stream(Part):
    """How a response comes in; by itself as whole blocks at their instants.

    With ``level: bytes`` it is Server-Sent Events, so that the executor's own decoder and assembler read it (W1): all
    of a call's block at its ``at``, or token by token at a ``rate``.

    >>> Stream(level="bytes", rate=50, first_token="700ms", text=20).rate
    50.0
    """

    level: Literal["blocks", "bytes"] = "blocks"
    rate: TokensInASecond | None = None
    """Tokens in a second; the instants of calls and of the response's end then come from it."""
    first_token: Distribution = 0
    """How long the first token takes."""
    jitter: Distribution = 0
    """What each token takes beyond its share of a second."""
    stalls: tuple[Stall, ...] = ()
    thinking: Tokens = 0
    """Tokens of thinking before everything else."""
    text: Tokens = 0
    """Tokens of text before each call."""
    start: Start = "block"
    """When a complete block may start (W5)."""
    chunks: Annotated[Cuts | int, BeforeValidator(_chunks, json_schema_input_type=Cuts | Count)] = "whole"
    """How the bytes are cut: not at all, at events, at random, every so many bytes. The last piece of what arrives
    at an instant arrives then, the pieces before it evenly since what came before."""
    lines: Literal["lf", "crlf", "cr"] = "lf"
    """How lines end."""
    pings_ns: DurationNs | None = Field(default=None, alias="pings")
    """How often a ping comes; never without it (W2)."""
    unknown: StrictBool = False
    """Whether events, blocks and deltas that nobody knows come in between (W2)."""
    interleaved: StrictBool = False
    """Whether each call's block begins before the one before it is complete (W6)."""
    stop_reason: StopReason | None = None
    """Why the message ends by its own word: ``tool_use`` if it has calls and ``end_turn`` if not."""

    @model_validator(mode="after")
    def _words_fit(self) -> Self:
        idle = {} if self.level == "bytes" else dict.fromkeys(_OF_BYTES, "level: bytes")
        idle |= {} if self.rate is not None else dict.fromkeys(_OF_A_RATE, "rate")
        for name, field in type(self).model_fields.items():
            if name in idle and getattr(self, name) != field.default:
                word, needed = field.alias or name, idle[name]
                raise fault((word,), f"expected {word} only with {needed}, got it without; add {needed}")
        if self.pings_ns == 0:
            raise fault(("pings",), "expected a time between pings, got 0s; leave it out for none")
        return self
