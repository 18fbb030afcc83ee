"""What the reference model speaks of; of everything else it says so instead of guessing.

The rule: a word that is not listed here and not left at its default makes a scenario unpredictable. No times here.
"""

from collections.abc import Iterator
from typing import Final

from scenarios.calls import Call, ToolSpec
from scenarios.model import Consumer, Happening, Options, Scenario
from scenarios.part import Part
from scenarios.response import Stream

_SPOKEN_OF: Final[dict[type[Part], str]] = {
    Scenario: "name rules options tools stream calls events table consumer expect",
    # Of bytes only when blocks are complete matters, which the calls say where no rate does, and any input is enough.
    Stream: "level thinking text chunks lines pings_ns unknown interleaved stop_reason",
    ToolSpec: "safe cascades interrupt aliases available classifier_raises timeout_ns fails max_output loaded_by",
    Call: "id tool at_ns takes ends stubborn input valid progress prints refuses_ns fails output output_repeats "
    "output_hex content sets safe raw cut",
    Happening: "at_ns do force error",
    Options: "max_concurrency emission cascade grace_ns max_output",
    Consumer: "takes_ns leaves_after leaves_at_ns",
}
_ACTS: Final = frozenset({"stream_end", "stream_error", "stop", "submit", "discard", "cancel"})


def unpredictable(scenario: Scenario) -> str | None:
    """Say what of a scenario the model does not speak of, ``None`` if it predicts the whole of it.

    >>> unpredictable(Scenario(calls=[Call(id="a", takes="1s")])) is None
    True
    >>> unpredictable(Scenario(calls=[Call(id="a", takes="1s", background="100ms")]))
    'background_ns of a Call'
    """
    return next(_unspoken(scenario), None)


def _unspoken(scenario: Scenario) -> Iterator[str]:
    for part in (
        scenario,
        scenario.stream,
        *scenario.tools.values(),
        *scenario.calls,
        *scenario.events,
        scenario.options,
        scenario.consumer,
    ):
        spoken_of = _SPOKEN_OF[type(part)].split()
        for name, field in type(part).model_fields.items():
            if name not in spoken_of and getattr(part, name) != field.get_default(call_default_factory=True):
                yield f"{name} of a {type(part).__name__}"
    yield from (f"do: {event.do}" for event in scenario.events if event.do not in _ACTS)
    if scenario.stream.level == "bytes" and any(
        call.raw is not None and not call.raw.strip() for call in scenario.calls
    ):
        yield "a block of a byte stream without input, which waits for what comes next (W5)"
    yield from (f"safe: {tool.safe}" for tool in scenario.tools.values() if not isinstance(tool.safe, bool))
