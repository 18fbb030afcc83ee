"""N1: deny rules with a pattern, read by the oracle itself, meet exactly what the executor's own rules meet (H3)."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from executor import PermissionRules, tool
from executor.pipeline.permissions import Deny
from executor.safety.subjects import shell_subjects
from sim.oracle import check
from sim.oracle.denials import DenyRule, denying


@tool(name="Read")
def read(path: str) -> str:
    return path


WORDS = st.sampled_from(["a", "b", "src", "*", "**", "?", "..", ".", "[a]", ""])
PATHS = st.lists(WORDS, min_size=1, max_size=5).map("/".join)
PLAIN = st.lists(st.sampled_from(["rm", "rmx", "-r", "export", "if", "a", "b.c"]), min_size=1, max_size=3).map(" ".join)
SUBJECTS = PATHS | PLAIN
PATTERNS = PATHS | PLAIN | PLAIN.map(lambda words: f"{words}:*") | st.text("ab*?/ ", max_size=6)
NAMES = st.sampled_from(["Read", "Re*", "OldRead", "mcp__github__read", "mcp__github", "mcp__git", "Edit"])
RULES = st.builds(lambda name, pattern: f"{name}({pattern})", NAMES, PATTERNS) | NAMES
FIELDS = st.dictionaries(st.sampled_from(["command", "path", "pattern", "text"]), SUBJECTS | st.just(7), max_size=3)


@example(["Read(src/**/a)"], "Read", {"path": "src/b/c/a"}, {})
@example(["Read(rm:*)"], "Read", {"command": "rm\tx"}, {})
@example(["Read(a)"], "Read", {"path": "a"}, {"path": "b"})
@given(st.lists(RULES, max_size=4), st.sampled_from(["Read", "mcp__github__read"]), FIELDS, FIELDS)
def test_the_oracle_finds_the_denials_that_the_executor_finds(rules, name, arguments, filled) -> None:
    """H3, X2: two readings of a rule that share no code, one answer."""
    called = replace(read, name=name, aliases=("OldRead",))
    decided = PermissionRules(deny=tuple(rules)).decide(called, arguments | filled)
    read_anew = [DenyRule.read(text) for text in rules]
    found = denying(read_anew, (name, "OldRead"), {"safe": True, "backfill": filled}, arguments)
    assert (found and f"the rule {found} denies it") == (decided.reason if isinstance(decided, Deny) else None)


@given(st.lists(RULES, max_size=4), PLAIN | st.text("ab;&|$`'\" =", max_size=8))
def test_of_a_shells_commands_the_oracle_judges_only_what_it_can_be_sure_of(rules, command) -> None:
    called = replace(read, subjects=shell_subjects)
    found = denying([DenyRule.read(text) for text in rules], ("Read",), {"safe": None}, {"command": command})
    if found is not None:
        assert isinstance(PermissionRules(deny=tuple(rules)).decide(called, {"command": command}), Deny)


GUARDED = """
    0 block a Edit exclusive gated
    0 queued a
    0 admitted a
    0 permitted a
    0 entered a {}
    1 left a ok
    1 result a ok
    1 turn_ended completed
"""


@pytest.mark.parametrize(
    ("told", "broken"),
    [
        ("path:/etc/passwd", True),
        ("path:/etc/../etc/passwd", True),
        ("path:/home/me", False),
        ("text:/etc/passwd", False),
        ("", False),
    ],
)
def test_a_body_whose_last_input_a_rule_forbids_breaks_n1_whatever_was_permitted(log, head, told, broken) -> None:
    """H3: judged by the input that the body was given, where the log tells it."""
    header = head() | {"rules": {"deny": ["Edit(/etc/*)"]}}
    violations = [(one.rule, one.message) for one in check(header, log(GUARDED.format(told)))]
    seen = "a (Edit, exclusive) was entered although the rule Edit(/etc/*) denies it"
    assert violations == ([("N1", seen)] if broken else [])


def test_a_rule_that_means_a_tool_by_its_other_name_meets_it(log, head) -> None:
    header = head() | {"rules": {"deny": ["Edit(/etc/*)"]}}
    header["tools"] = header["tools"] | {"Edit": header["tools"]["Edit"] | {"aliases": ["OldEdit"]}}
    turn = GUARDED.format("path:/etc/passwd").replace("a Edit", "a OldEdit")
    assert [one.rule for one in check(header, log(turn))] == ["N1"]


def test_what_is_filled_in_is_what_a_call_is_about(log, head) -> None:
    """X2."""
    header = head() | {"rules": {"deny": ["Edit(/etc/*)"]}}
    header["tools"] = header["tools"] | {"Edit": header["tools"]["Edit"] | {"backfill": {"path": "/home/me"}}}
    assert check(header, log(GUARDED.format("path:/etc/passwd"))) == []


def test_a_header_that_fills_in_no_fields_but_a_text_is_refused(head) -> None:
    header = head() | {"tools": {"Edit": {"safe": False, "backfill": "all"}}}
    with pytest.raises(ValueError, match=r"header: tools\.Edit\.backfill: expected an object, got 'all'"):
        check(header, [])
