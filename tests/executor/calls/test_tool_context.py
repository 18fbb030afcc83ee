"""A context cannot be changed; a change makes a new one (C1)."""

import pytest

from executor import ToolContext


def test_a_change_makes_a_new_context_and_leaves_the_old_one_as_it_was() -> None:
    """C1."""
    before = ToolContext(cwd="/src", seen=1)
    after = before.updated(seen=2, open="a.ts")
    assert dict(before) == {"cwd": "/src", "seen": 1}
    assert dict(after) == {"cwd": "/src", "seen": 2, "open": "a.ts"}


def test_a_context_offers_no_way_to_set_or_delete_a_value() -> None:
    """C1."""
    context = ToolContext(cwd="/src")
    with pytest.raises(TypeError):
        context["cwd"] = "/"  # type: ignore[index]
    with pytest.raises(TypeError):
        del context["cwd"]  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        context.cwd = "/"  # type: ignore[attr-defined]


def test_a_context_does_not_follow_the_dictionary_it_was_made_from() -> None:
    """C1."""
    values = {"cwd": "/src"}
    context = ToolContext(**values)
    values["cwd"] = "/"
    assert context["cwd"] == "/src"


def test_contexts_with_equal_values_are_equal_to_each_other_and_to_a_mapping() -> None:
    """C1: it is a mapping like any other."""
    assert ToolContext(a=1) == ToolContext(a=1) == {"a": 1}
    assert ToolContext(a=1) != ToolContext(a=2)
    assert (len(ToolContext()), len(ToolContext(a=1)), "a" in ToolContext(a=1)) == (0, 1, True)
    assert repr(ToolContext(a=1, b="x")) == "ToolContext(a=1, b='x')"
    with pytest.raises(KeyError):
        ToolContext()["cwd"]
