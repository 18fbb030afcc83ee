"""What a scenario expects of bodies, results and the turn's end is told, word for word, where it does not come out."""

from typing import Any

import pytest

from scenarios import loads
from sim import simulate
from sim.world.expectations import unmet

TURN = """
permissions: {answer: {says: allow, after: 1}}
tools:
  Read: {post_hook: {context: "lint: ok"}, pre_hook: {rewrite: {input: {path: b}}}}
  Bash: {safe: false, approval: true, auto_background_after: 1}
calls:
  - {id: a, sets: {x: 1}, children: [{survives: true}, {}]}
  - {id: b, tool: Bash, takes: 3}
expect: %s
"""


@pytest.mark.parametrize(
    "expect",
    [
        "{saw: {a: {}, b: {x: 1}}}",
        "{given: {a: {path: b}}}",
        "{content: {a: 'a: ok'}}",
        "{says: {b: background}}",
        "{attachments: {a: [[hook_context, 'lint: ok']], b: []}}",
        "{effect_unknown: []}",
        "{message_blocks: [tool_result a, tool_result b, text]}",
        "{should_continue: true}",
        "{turn: completed}",
        "{closing: []}",
        "{abandoned: []}",
        "{processes_left: [a/0]}",
        "{asked_at: {b: 0}, answered_at: {b: 1}, work_ended_at: {b: 2}}",
    ],
)
def test_what_comes_out_as_expected_is_not_spoken_of(expect: str) -> None:
    assert unmet(simulate(loads(TURN % expect))) == []


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ("{saw: {b: {}}}", "saw.b: expected {}, got {'x': 1}"),
        ("{given: {a: {path: a}}}", "given.a: expected {'path': 'a'}, got {'path': 'b'}"),
        ("{content: {a: ok}}", "content.a: expected 'ok', got 'a: ok'"),
        ("{says: {a: fine}}", "says.a: expected 'fine' in what it says, got 'a: ok'"),
        ("{attachments: {a: []}}", "attachments.a: expected [], got [('hook_context', 'lint: ok')]"),
        ("{effect_unknown: [b]}", "effect_unknown: expected b, got none"),
        ("{message_blocks: [text]}", "message_blocks: expected text, got tool_result a, tool_result b, text"),
        ("{should_continue: false}", "should_continue: expected False, got True"),
        ("{turn: stopped}", "turn: expected stopped, got completed"),
        ("{closing: [[a, ok]]}", "closing: expected a ok, got none"),
        ("{abandoned: [b]}", "abandoned: expected b, got none"),
        ("{processes_left: []}", "processes_left: expected none, got a/0"),
        ("{asked_at: {b: 1}}", "asked_at.b: expected 1s, got 0s"),
        ("{answered_at: {b: 2}}", "answered_at.b: expected 2s, got 1s"),
        ("{work_ended_at: {a: 2}}", "work_ended_at.a: expected 2s, got never"),
    ],
)
def test_what_comes_out_otherwise_is_told_with_both(expect: str, told: str) -> None:
    assert unmet(simulate(loads(TURN % expect))) == [told]


def test_the_time_that_goes_on_in_the_background_is_no_overlap_only_once_it_is_over() -> None:
    """X8, B084: a detached call's work runs beside the next one."""
    text = """
        tools: {Bash: {safe: false, detached: true}}
        calls: [{id: a, tool: Bash, takes: 2, background: 1}, {id: b, tool: Bash, takes: 1}]
        expect: {never_overlap: [[a, b]]}
    """
    assert unmet(simulate(loads(text))) == ["never_overlap: expected a and b apart, both ran at 1s"]


def test_a_call_without_a_body_saw_nothing_and_was_given_nothing() -> None:
    words: dict[str, Any] = {"saw": "{a: {}}", "given": "{a: {}}"}
    for word, expected in words.items():
        text = f"calls: [{{id: a, valid: false}}]\nexpect: {{{word}: {expected}}}"
        assert unmet(simulate(loads(text))) == [f"{word}.a: expected {{}}, got no body"]
