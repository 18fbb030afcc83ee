"""What the parts of a scenario are made of: their common base, their kinds of values, and errors that know where.

The rule: nothing is guessed. ``yes`` is no boolean and ``1`` is no id; anything but the kind asked for is an error.
"""

import json
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, StrictInt, StrictStr
from pydantic_core import PydanticCustomError

from .words import shown


def fault(where: tuple[str | int, ...], problem: str) -> PydanticCustomError:
    """Make a validator's error that carries where in the model the culprit stands, for the line in a file."""
    return PydanticCustomError("scenario", "{problem}", {"problem": problem, "where": where})


def _plain_json(value: JsonValue) -> JsonValue:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise ValueError(f"expected a JSON value, got {shown(value)}; JSON knows no nan and no inf") from None
    return value


def _rate(value: object) -> object:
    if isinstance(value, bool) or not (isinstance(value, int | float) and 0 <= value <= 1):
        raise ValueError(f"expected a number from 0 to 1, got {shown(value)}")
    return value


Json = Annotated[JsonValue, AfterValidator(_plain_json)]
Name = Annotated[StrictStr, Field(min_length=1)]
Count = Annotated[StrictInt, Field(ge=1)]
Rate = Annotated[float, BeforeValidator(_rate, json_schema_input_type=Annotated[float, Field(ge=0, le=1)])]


class Part(BaseModel):
    """What all parts of a scenario have in common: they cannot change and know only their own words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Show the words that make it again, as a failing test prints them; what is left out is the default."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True).items()
