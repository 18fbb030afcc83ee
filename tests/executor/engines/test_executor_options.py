"""What can be set about an executor, and the variable that sets the default limit (E3)."""

from typing import Any

import pytest

from executor import Options, Tool, ToolContext, ToolSet, make_executor
from executor.engines.batch import BatchToolExecutor
from executor.engines.streaming import StreamingToolExecutor
from sim import clock

VARIABLE = "INTERLOCK_MAX_CONCURRENCY"


@pytest.mark.parametrize(
    ("value", "limit"),
    [
        (None, 10),
        ("", 10),
        ("abc", 10),
        ("-1", 10),
        ("0", 10),
        ("2.5", 10),
        ("inf", 10),
        ("1", 1),
        ("3", 3),
        (" 7 ", 7),
        ("250", 250),
    ],
)
def test_the_variable_sets_the_default_limit_and_nonsense_in_it_means_ten(
    monkeypatch: pytest.MonkeyPatch, value: str | None, limit: int
) -> None:
    """E3; a limit of -1 started nothing and lost every result in the published design (SPEC 12.8)."""
    monkeypatch.delenv(VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    assert Options().max_concurrency == limit


def test_the_variable_is_read_when_options_are_made_and_never_beats_a_limit_that_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """E3."""
    monkeypatch.setenv(VARIABLE, "3")
    assert (Options().max_concurrency, Options(max_concurrency=5).max_concurrency) == (3, 5)
    assert Options(max_concurrency=None).max_concurrency is None


def test_the_defaults_are_those_of_the_specification(monkeypatch: pytest.MonkeyPatch) -> None:
    """E3, E6, A2, A9."""
    monkeypatch.delenv(VARIABLE, raising=False)
    options = Options()
    assert (options.max_concurrency, options.emission, options.cascade, options.grace_s) == (
        10,
        "ordered",
        "exclusive",
        2.0,
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_concurrency": 0}, "max_concurrency: expected a number from 1 on, or None for no limit, got 0"),
        ({"max_concurrency": -1}, "max_concurrency: expected a number from 1 on, or None for no limit, got -1"),
        ({"max_concurrency": "3"}, "max_concurrency: expected a number from 1 on, or None for no limit, got '3'"),
        ({"emission": "random"}, "emission: expected 'ordered' or 'eager', got 'random'"),
        ({"cascade": "all"}, "cascade: expected 'exclusive', 'any' or 'never', got 'all'"),
        ({"grace_s": -0.1}, "grace_s: expected seconds, 0 or more, got -0.1"),
        ({"grace_s": float("nan")}, "grace_s: expected seconds, 0 or more, got nan"),
    ],
)
def test_a_value_out_of_range_is_refused_with_what_is_allowed(given: dict[str, Any], message: str) -> None:
    """E3, E6, A2, A9."""
    with pytest.raises(ValueError) as told:
        Options(**given)
    assert str(told.value) == message


def test_an_engine_is_chosen_by_one_argument() -> None:
    """Q5; serial is batch with one call at a time (SPEC 1)."""

    async def main() -> None:
        tools: list[Tool] = []
        streaming = make_executor("streaming", ToolSet(tools), ToolContext(a=1))
        assert isinstance(streaming, StreamingToolExecutor)
        assert streaming.context == {"a": 1}
        assert isinstance(make_executor("batch", ToolSet(tools)), BatchToolExecutor)
        assert isinstance(
            make_executor("serial", ToolSet(tools), options=Options(max_concurrency=8)), BatchToolExecutor
        )
        with pytest.raises(ValueError, match="engine: expected one of streaming, batch, serial, got 'turbo'"):
            make_executor("turbo", ToolSet(tools))  # type: ignore[arg-type]

    clock.run(main())
