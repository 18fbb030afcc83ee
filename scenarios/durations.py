"""How long something takes: words to nanoseconds and back, and durations that are drawn.

The rule: text is decimal and exact, so ``0.1`` is 100,000,000 ns and three of them are ``0.3`` (B108). Units are
``h m s ms us ns``, largest first in a sum (``1m30s``); a bare number is seconds. Everything inside is an integer
number of nanoseconds.
"""

import math
import random
import re
from collections.abc import Mapping
from decimal import Context, Decimal, Inexact
from statistics import NormalDist
from typing import Annotated, Any, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PlainSerializer,
    Tag,
    model_serializer,
    model_validator,
)
from pydantic.config import JsonDict

from .words import shown

UNITS_NS: Final = {"h": 3_600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
LONGEST_NS: Final = 2**63 - 1
"""The longest duration, about 292 years: what a signed 64-bit number of nanoseconds holds."""

_NUMBER: Final = r"[0-9]+(?:\.[0-9]+)?"
_SECONDS: Final = re.compile(rf"{_NUMBER}(?:[eE][+-]?[0-9]{{1,3}})?")
_SUM: Final = re.compile("".join(rf"(?:(?P<{unit}>{_NUMBER}){unit})?" for unit in UNITS_NS))
_WRITTEN: Final = re.sub(r"\?P<\w+>", "?:", rf"^(?=.)(?:{_SECONDS.pattern}|{_SUM.pattern})$")
_EXACT: Final = Context(prec=2_000, traps=[Inexact])
_P95: Final = NormalDist().inv_cdf(0.95)


def parse_duration(value: object) -> int:
    """Read a duration in nanoseconds from a number of seconds or from words such as ``200ms`` or ``1m30s``.

    Text must be a whole number of nanoseconds; a ``float`` is rounded to the nearest one, which is the one meant up
    to 10**15 ns, eleven days.
    :class:`ValueError` for anything else: negative, not finite, a bool, an unknown unit, beyond :data:`LONGEST_NS`.

    >>> parse_duration(0.1), parse_duration("1.2s"), parse_duration("1m30s")
    (100000000, 1200000000, 90000000000)
    """
    total_ns = _exact_ns(value)
    if total_ns is None or not 0 <= total_ns <= LONGEST_NS or total_ns != total_ns.to_integral_value():
        raise ValueError(f"expected seconds or a duration such as 200ms, got {shown(value)}")
    return int(total_ns)


def format_duration(ns: int) -> str:
    """Write nanoseconds in the shortest of: at least one of a single unit, or a sum of whole units.

    :func:`parse_duration` reads it back to the same number. :class:`ValueError` where ``ns`` is negative.

    >>> format_duration(500_000_000), format_duration(1_200_000_000), format_duration(3_600_000_000_001)
    ('500ms', '1.2s', '1h1ns')
    """
    if ns < 0:
        raise ValueError(f"expected a duration of 0 ns or more, got {ns}")
    if ns == 0:
        return "0s"
    parts, rest_ns = "", ns
    for unit, size_ns in UNITS_NS.items():
        count, rest_ns = divmod(rest_ns, size_ns)
        parts += f"{count}{unit}" if count else ""
    single = [f"{number}{unit}" for unit, size_ns in UNITS_NS.items() if (number := _decimal(ns, size_ns))]
    return min([*single, parts], key=len)


def _exact_ns(value: object) -> Decimal | None:
    """Give the value in nanoseconds, exactly; None where it is no duration at all."""
    match value:
        case bool():
            return None
        case int():
            return Decimal(value * 10**9) if abs(value) <= LONGEST_NS else None
        case float():
            # repr is the shortest decimal that means this float: what the author wrote.
            return _EXACT.multiply(Decimal(repr(value)), 10**9).to_integral_value() if 0 <= value < math.inf else None
        case str() if len(value) <= 100:
            if _SECONDS.fullmatch(value):
                return _EXACT.multiply(Decimal(value), 10**9)
            if value and (parts := _SUM.fullmatch(value)):
                total_ns = Decimal(0)
                for unit, number in parts.groupdict(default="0").items():
                    total_ns = _EXACT.add(total_ns, _EXACT.multiply(Decimal(number), UNITS_NS[unit]))
                return total_ns
    return None


def _decimal(ns: int, size_ns: int) -> str | None:
    """Write ``ns / size_ns`` as a decimal, or give None where it is below one or does not end."""
    whole, rest = divmod(ns, size_ns)
    if not whole:
        return None
    digits = ""
    while rest and len(digits) < 12:
        digit, rest = divmod(rest * 10, size_ns)
        digits += str(digit)
    if rest:
        return None
    return f"{whole}.{digits}" if digits else str(whole)


Written = Annotated[float, Field(ge=0)] | Annotated[str, Field(pattern=_WRITTEN)]
"""How a duration may be written, for the JSON Schema."""

DurationNs = Annotated[
    int,
    BeforeValidator(parse_duration, json_schema_input_type=Written),
    PlainSerializer(format_duration, return_type=str, when_used="json"),
]
"""A pydantic field that takes seconds or words, holds nanoseconds and is written as words in JSON and YAML."""


def _above_zero(ns: int) -> int:
    if ns == 0:
        raise ValueError("expected a duration above 0s, got 0s")
    return ns


LimitNs = Annotated[DurationNs, AfterValidator(_above_zero)]
"""As :data:`DurationNs`, for what has to be above zero: a deadline."""


def _as_uniform(schema: JsonDict) -> None:
    """Tell the JSON Schema how an even draw is written."""
    pair = {"type": "array", "items": _inner(schema, "low"), "minItems": 2, "maxItems": 2}
    schema |= {"properties": {"uniform": pair}, "required": ["uniform"]}


def _as_lognormal(schema: JsonDict) -> None:
    """Tell the JSON Schema how a log-normal draw is written."""
    words = {key: schema[key] for key in ("type", "properties", "required", "additionalProperties")}
    schema |= {"properties": {"lognormal": words}, "required": ["lognormal"]}


def _as_empirical(schema: JsonDict) -> None:
    """Tell the JSON Schema how a draw from measured ones is written."""
    values = {"type": "array", "items": _inner(schema, "values")["items"], "minItems": 1}
    schema |= {"properties": {"empirical": values}, "required": ["empirical"]}


def _inner(schema: JsonDict, key: str) -> Any:
    properties = schema["properties"]
    assert isinstance(properties, dict)
    return properties[key]


class Uniform(BaseModel):
    """A duration drawn evenly from ``low`` to ``high``, both included; in YAML ``{uniform: [100ms, 1s]}``.

    >>> Uniform(low="100ms", high=1)
    Uniform(low_ns=100000000, high_ns=1000000000)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_as_uniform)

    low_ns: DurationNs = Field(alias="low")
    high_ns: DurationNs = Field(alias="high")

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        match value:
            case {"uniform": [low, high], **rest} if not rest:
                return {"low": low, "high": high}
            case {"uniform": _}:
                raise ValueError(f"expected {{uniform: [low, high]}}, got {shown(value)}")
        return value

    @model_validator(mode="after")
    def _low_first(self) -> Self:
        if self.low_ns > self.high_ns:
            low, high = format_duration(self.low_ns), format_duration(self.high_ns)
            raise ValueError(f"expected the shorter duration first, got [{low}, {high}]")
        return self

    @model_serializer(when_used="json")
    def _to_words(self) -> dict[str, list[str]]:
        return {"uniform": [format_duration(self.low_ns), format_duration(self.high_ns)]}


class LogNormal(BaseModel):
    """A log-normal duration by its median and 95th percentile; in YAML ``{lognormal: {median: 50ms, p95: 400ms}}``.

    >>> LogNormal(median="50ms", p95="400ms")
    LogNormal(median_ns=50000000, p95_ns=400000000)
    """

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_as_lognormal)

    median_ns: DurationNs = Field(alias="median")
    p95_ns: DurationNs = Field(alias="p95")

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        match value:
            case {"lognormal": dict(words), **rest} if not rest:
                return words
            case {"lognormal": _}:
                raise ValueError(f"expected {{lognormal: {{median: …, p95: …}}}}, got {shown(value)}")
        return value

    @model_validator(mode="after")
    def _median_first(self) -> Self:
        if not 0 < self.median_ns <= self.p95_ns:
            median, p95 = format_duration(self.median_ns), format_duration(self.p95_ns)
            raise ValueError(f"expected a median above 0s and a p95 not below it, got median {median} and p95 {p95}")
        return self

    @model_serializer(when_used="json")
    def _to_words(self) -> dict[str, dict[str, str]]:
        return {"lognormal": {"median": format_duration(self.median_ns), "p95": format_duration(self.p95_ns)}}


class Empirical(BaseModel):
    """A duration that is one of those that were measured; in YAML ``{empirical: [100ms, 120ms, 2s]}``.

    >>> Empirical(values=["100ms", 2])
    Empirical(values_ns=(100000000, 2000000000))
    """

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_as_empirical)

    values_ns: tuple[DurationNs, ...] = Field(alias="values")

    @model_validator(mode="before")
    @classmethod
    def _from_words(cls, value: Any) -> Any:
        match value:
            case {"empirical": list(values), **rest} if not rest:
                return {"values": values}
            case {"empirical": _}:
                raise ValueError(f"expected {{empirical: [duration, …]}}, got {shown(value)}")
        return value

    @model_validator(mode="after")
    def _has_values(self) -> Self:
        if not self.values_ns:
            raise ValueError("expected at least one duration to draw from, got none")
        return self

    @model_serializer(when_used="json")
    def _to_words(self) -> dict[str, list[str]]:
        return {"empirical": [format_duration(ns) for ns in self.values_ns]}


def _which(value: object) -> str:
    """Tell the branch of :data:`Distribution` that a value is meant for."""
    if isinstance(value, Uniform) or (isinstance(value, Mapping) and "uniform" in value):
        return "uniform"
    if isinstance(value, LogNormal) or (isinstance(value, Mapping) and "lognormal" in value):
        return "lognormal"
    if isinstance(value, Empirical) or (isinstance(value, Mapping) and "empirical" in value):
        return "empirical"
    return "fixed"


Distribution = Annotated[
    Annotated[DurationNs, Tag("fixed")]
    | Annotated[Uniform, Tag("uniform")]
    | Annotated[LogNormal, Tag("lognormal")]
    | Annotated[Empirical, Tag("empirical")],
    Discriminator(_which),
]
"""How long something takes: the same number of nanoseconds always, or one drawn anew in each run."""


def draw_ns(distribution: Distribution, rng: random.Random) -> int:
    """Draw one duration in nanoseconds; a fixed one draws nothing from ``rng``.

    >>> draw_ns(5, random.Random(0)), draw_ns(Uniform(low="1ns", high="1ns"), random.Random(0))
    (5, 1)
    """
    match distribution:
        case Uniform():
            return rng.randint(distribution.low_ns, distribution.high_ns)
        case LogNormal():
            sigma = math.log(distribution.p95_ns / distribution.median_ns) / _P95
            return min(round(distribution.median_ns * rng.lognormvariate(0.0, sigma)), LONGEST_NS)
        case Empirical():
            return rng.choice(distribution.values_ns)
    return distribution
