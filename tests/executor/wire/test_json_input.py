"""What counts as an input, and what is said of text that is none (W1, W4)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.wire.json_input import SHOWN, is_whole, joined, parse, problem_of

TEXT = st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=4,
)
MALFORMED = [
    "NaN", '{"a": NaN}', '{"a": Infinity}', '{"a": -Infinity}', '{"a": 1e999}', '{"a": 1} x', "{'a': 1}", '{"a": 1,}',
    '{"keywords": Dave}', '{"a": "x\ny"}', '{"a": "\0"}', "\ufeff{}", '{"a": 01}', '{"a": ' + "[" * 5_000, "{} {}",
    '{"a": ' + "9" * 5_000 + "}",
]  # fmt: skip
CUT_OFF = ['{"command":"rm -rf /tmp/scra', "{", '{"a"', '{"a":', '{"a": tru', '{"a": 1', '{"a": "\\u12', '{"a": [1, ']


@given(st.dictionaries(TEXT, JSON, max_size=3))
def test_an_object_is_read_as_it_was_written(value: dict) -> None:
    """W1."""
    text = json.dumps(value)
    assert parse(text) == value
    assert is_whole(text)


@pytest.mark.parametrize("text", ["", "  ", "\n\t "])
def test_blank_text_is_an_empty_object(text: str) -> None:
    """W1, B050; but nothing shows that it is whole."""
    assert parse(text) == {}
    assert not is_whole(text)


def test_of_repeated_keys_the_last_counts() -> None:
    """W1."""
    assert parse('{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize("text", MALFORMED + CUT_OFF)
def test_what_is_not_json_is_no_input_and_is_shown_as_a_json_value(text: str) -> None:
    """W4, B052, B055: whatever it is, ``problem_of`` can be sent."""
    with pytest.raises(ValueError):
        parse(text)
    assert not is_whole(text)
    _, _, shown = problem_of(text).partition(", got ")
    assert json.loads(shown)["INVALID_JSON"][:SHOWN] == text[:SHOWN]
    problem_of(text).encode()


@pytest.mark.parametrize(
    ("text", "reason"), [('{"a": 1e999}', "a number is out of range"), ("NaN", "expected value at line 1 column 1")]
)
def test_a_malformed_input_is_answered_with_the_reason(text: str, reason: str) -> None:
    """W4, B054."""
    assert problem_of(text).startswith(f"the input must be a JSON object: {reason}, got ")


@pytest.mark.parametrize("text", CUT_OFF)
def test_an_input_that_breaks_off_is_said_to(text: str) -> None:
    """W4, B052."""
    assert problem_of(text).startswith("the input breaks off, got ")


@pytest.mark.parametrize("text", ["[1]", '"a"', "3", "null", "true"])
def test_json_that_is_no_object_is_said_to_be_none(text: str) -> None:
    """W4, B054."""
    assert problem_of(text) == f"the input must be a JSON object, got {text}"
    assert not is_whole(text)


def test_a_long_malformed_input_is_shown_in_part() -> None:
    """W4."""
    text = "[" + "1, " * SHOWN + "1]"
    assert problem_of(text).endswith(f"… ({len(text)} characters)")
    assert len(problem_of(text)) < SHOWN + 100


@pytest.mark.parametrize("text", ['{"a": "\\ud83e"}', '{"a": "\\udd80\\ud83e"}'])
def test_an_escape_of_half_a_character_is_no_input(text: str) -> None:
    """B103: it would poison every later request."""
    with pytest.raises(ValueError):
        parse(text)
    problem_of(text).encode()


@given(st.lists(st.text(st.sampled_from("aé🦀\ud83e\udd80"))))
def test_joined_text_can_always_be_sent(parts: list[str]) -> None:
    """B103."""
    joined(parts).encode()


@given(st.text(), st.integers(0, 50))
def test_a_character_cut_into_two_escapes_is_mended(text: str, at: int) -> None:
    """B103: JavaScript cuts its strings between the halves of a surrogate pair."""
    halves = text.encode("utf-16-le")
    a, b = (half.decode("utf-16-le", "surrogatepass") for half in (halves[: 2 * at], halves[2 * at :]))
    assert joined([a, b]) == text
