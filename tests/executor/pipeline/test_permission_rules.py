"""Rules as users write them in settings files, and what wins over what (H2, H3). Pure."""

import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from executor import Allow, Ask, Deny, PermissionRules, Tool, tool
from executor.pipeline.permissions import Ruling, resolve, strictest
from executor.pipeline.rules import Rule


def named(name: str, **declared: Any) -> Tool:
    @tool(name=name, **declared)
    async def body(command: str = "", path: str = "") -> None:
        """Do nothing."""

    return body


def decide(rules: PermissionRules, name: str, given: Mapping[str, Any] | None = None, **declared: Any) -> str | None:
    decision = rules.decide(named(name, **declared), given or {})
    return None if decision is None else type(decision).__name__.lower()


@pytest.mark.parametrize(
    ("rule", "subject", "covered"),
    [
        ("Bash", "anything", True),
        ("Bash(*)", "anything", True),
        ("Bash()", "anything", True),
        ("Bash(git log)", "git log", True),
        ("Bash(git log)", "git log --oneline", False),
        ("Bash(git log:*)", "git log", True),
        ("Bash(git log:*)", "git log --oneline", True),
        ("Bash(git log:*)", "git log\n-3", True),
        ("Bash(git show:*)", "git show ':/a\nb'", True),
        ("Bash(git log:*)", "git logx", False),
        ("Bash(npm run *)", "npm run test", True),
        ("Bash(npm run *)", "npm install", False),
        ("Bash(echo (a))", "echo (a)", True),
        ("Read(src/*)", "src/a.py", True),
        ("Read(src/*)", "src/lib/a.py", False),
        ("Read(src/**)", "src/lib/a.py", True),
        ("Read(src/**)", "./src/lib/../a.py", True),
        ("Read(src/**)", "src/../etc/passwd", False),
        ("Read(docs/**)", "docs/a\nb/c.md", True),
        ("Read(**/.env)", ".env", True),
        ("Read(**/.env)", "a/b/.env", True),
        ("Read(**/.env)", "a/b/x.env", False),
        ("Read(/etc/**)", "//etc/passwd", True),
        ("Read(/etc/**)", "/etc/./ssh//config", True),
        ("Read(src/a?.py)", "src/ab.py", True),
        ("Read(src/a?.py)", "src/a/.py", False),
        ("Fetch(https://example.org/*)", "https://example.org/a/b", True),
        ("Fetch(https://example.org/*)", "https://example.com/a", False),
    ],
)
def test_a_rule_s_pattern_covers_what_it_says(rule: str, subject: str, covered: bool) -> None:
    """H2: prefixes, globs, paths; a path is resolved first, so that no detour escapes its rule."""
    assert Rule.parse(rule).covers(subject) is covered


@pytest.mark.parametrize("text", ["", "Bash(", "Bash(ls) x", "two words", "(x)"])
def test_a_rule_of_another_form_is_told_at_once(text: str) -> None:
    with pytest.raises(ValueError, match=r"permission rule: expected Tool or Tool\(pattern\), got"):
        PermissionRules(deny=(text,))


@pytest.mark.parametrize(
    ("rule", "name", "aliases", "denied"),
    [
        ("mcp__github", "mcp__github__push", (), True),
        ("mcp__git", "mcp__github__push", (), False),
        ("mcp__*__push", "mcp__github__push", (), True),
        ("View", "Read", ("View",), True),
        ("Read", "ReadAll", (), False),
    ],
)
def test_a_rule_reaches_its_tools_by_glob_by_server_and_by_retired_name(rule, name, aliases, denied) -> None:
    """H2."""
    assert decide(PermissionRules(deny=(rule,)), name, aliases=aliases) == ("deny" if denied else None)


def test_deny_beats_ask_beats_allow() -> None:
    """H2."""
    for kinds in itertools.product([(), ("Bash(ls:*)",)], repeat=3):
        deny, ask, allow = kinds
        expected = "deny" if deny else "ask" if ask else "allow" if allow else None
        assert decide(PermissionRules(deny=deny, ask=ask, allow=allow), "Bash", {"command": "ls -l"}) == expected


@pytest.mark.parametrize(
    ("subjects", "expected"),
    [
        (["ls", "cat a"], "allow"),
        (["ls", "make"], None),
        (["ls", "rm -r x"], "deny"),
        (["ls", "git push"], "ask"),
        (["git push", "rm x"], "deny"),
        ([], None),
        (None, "ask"),
    ],
)
def test_each_part_of_a_call_counts_by_itself_and_what_cannot_be_told_is_asked(subjects, expected) -> None:
    """H2, H3: allow must cover all parts, deny and ask need meet only one."""
    rules = PermissionRules(deny=("Bash(rm:*)",), ask=("Bash(git push)",), allow=("Bash(ls:*)", "Bash(cat:*)"))
    assert decide(rules, "Bash", {"command": "x"}, subjects=lambda given: subjects) == expected


def test_a_decision_names_the_rule_that_made_it() -> None:
    """H2, H4: a denial by a rule is automatic."""
    rules, bash = PermissionRules(deny=("Bash(rm:*)",), ask=("Bash(git push)",)), named("Bash")
    assert rules.decide(bash, {"command": "rm a"}) == Deny("the rule Bash(rm:*) denies it", by_person=False)
    assert rules.decide(bash, {"command": "git push"}) == Ask("the rule Bash(git push) wants it asked")


def test_a_tool_that_cannot_tell_its_subjects_still_obeys_rules_without_a_pattern() -> None:
    """H2: and one whose teller raises counts as such a tool."""

    def teller(given: Mapping[str, Any]) -> list[str]:
        raise OSError("cannot parse")

    assert decide(PermissionRules(deny=("Bash",), allow=("Bash",)), "Bash", subjects=teller) == "deny"
    assert decide(PermissionRules(allow=("Bash",)), "Bash", subjects=teller) == "allow"
    assert decide(PermissionRules(allow=("Bash(ls)",)), "Bash", subjects=teller) is None
    assert decide(PermissionRules(deny=("Bash(ls)",), allow=("Bash",)), "Bash", subjects=teller) == "ask"


def test_what_a_call_is_about_is_its_command_or_path_by_default() -> None:
    assert named("Bash").subjects_of({"command": "ls", "path": "a"}) == ["ls"]
    assert named("Read").subjects_of({"path": "a.ts"}) == ["a.ts"]
    assert named("Other").subjects_of({"query": "x"}) is None


RULES = (None, Allow(), Ask("r"), Deny("r", by_person=False))
HOOKS = (None, Allow(), Ask("h"), Deny("h", by_person=False))


@pytest.mark.parametrize(("rule", "hook"), list(itertools.product(RULES, HOOKS)))
@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize("needs", [False, True])
@pytest.mark.parametrize("gave_input", [False, True])
def test_what_rules_and_hooks_decide_together(rule, hook, interactive, needs, gave_input) -> None:
    """H2, the whole table: a hook's allow skips only the prompt."""
    ruling = resolve(
        named("T", requires_interaction=interactive, needs_permission=needs), rule, hook, hook_gave_input=gave_input
    )
    if isinstance(rule, Deny):
        assert ruling == Ruling(rule, "rule")
    elif isinstance(hook, Deny):
        assert ruling == Ruling(hook, "hook")
    elif isinstance(rule, Ask):
        assert ruling == Ruling(rule, "rule")
    elif interactive and not (isinstance(hook, Allow) and gave_input):
        assert ruling == Ruling(Ask("T needs an answer from a person"), "tool")
    elif hook is not None:
        assert ruling == Ruling(hook, "hook")
    elif rule is not None:
        assert ruling == Ruling(rule, "rule")
    elif needs:
        assert ruling == Ruling(Ask("T runs only when it is allowed"), "tool")
    else:
        assert ruling == Ruling(None, "nobody")


def test_of_several_decisions_the_strictest_counts_and_the_first_among_equals() -> None:
    """H2."""
    assert strictest([]) is None
    assert strictest([Allow(), Ask("1"), Ask("2")]) == Ask("1")
    assert strictest([Allow(), Deny("1"), Ask("2"), Deny("3")]) == Deny("1")


@pytest.mark.parametrize("name", ["deny", "ask", "allow"])
def test_a_text_where_several_rules_belong_is_refused(name: str) -> None:
    """H3: taken letter by letter it would deny nothing of what it names."""
    with pytest.raises(
        ValueError, match=rf"{name}: expected a sequence of rules, got the text 'Bash': write \('Bash',\)"
    ):
        PermissionRules(**{name: "Bash"})
    with pytest.raises(ValueError, match="permission rule: expected Tool or Tool"):
        PermissionRules(**{name: (3,)})
