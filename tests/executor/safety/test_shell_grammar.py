"""Reading shell commands: what bash would cut in the same way is read, everything else is not understood (R2)."""

import pytest

from executor.safety import grammar
from executor.safety.grammar import DEEPEST, LONGEST_BYTES, parse
from executor.safety.words import NotUnderstood


def texts(line: str) -> list[list[str | None]]:
    """The words of each simple command, None where only the shell knows."""
    return [[word.text for word in command.words] for command in parse(line).commands]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ls -la 'a b'", ["ls", "-la", "a b"]),
        ('l"s" \\-a', ["ls", "-a"]),
        ('echo "a \\"b\\" \\$c" \'$d\'', ["echo", 'a "b" $c', "$d"]),
        ("cut -d$'\\t' a", ["cut", "-d\t", "a"]),
        ("echo a$ \"b$\" c#d '#e'", ["echo", "a$", "b$", "c#d", "#e"]),
        ("echo {} stash@{1} HEAD~1 a{b}", ["echo", "{}", "stash@{1}", "HEAD~1", "a{b}"]),
        ("echo ' '  \"  \"", ["echo", " ", "  "]),
        ("ls \\\n  -l", ["ls", "-l"]),
        ("sort a >/dev/null -o b", ["sort", "a", "-o", "b"]),
        (">/dev/null rm x", ["rm", "x"]),
        ("[ -f x ]", ["[", "-f", "x", "]"]),
    ],
)
def test_words_are_what_the_command_would_get(line: str, words: list[str]) -> None:
    assert texts(line) == [words]


@pytest.mark.parametrize(
    ("written", "prefix", "several", "splits"),
    [
        ("src/*.py", "src/", True, False),
        ("a{b,c}", "a", True, False),
        ("{1..3}", "", True, False),
        ("$x", "", True, True),
        ("a$x", "a", True, True),
        ('"a$x"', "a", False, False),
        ('"$@"', "", True, True),
        ("~/a", "~", False, False),
        ("$(pwd)", "", True, True),
        ('"$(pwd)/a"', "", False, False),
        ("<(ls)", "/dev/fd/", False, False),
        ("{a},b}", "", True, False),
    ],
)
def test_of_an_expansion_only_the_letters_before_it_are_known(words_of, written, prefix, several, splits) -> None:
    word = next(iter(parse(f"echo {written}").commands)).words[1]
    assert (word.text, word.prefix, word.several, word.splits) == (None, prefix, several, splits)


@pytest.mark.parametrize(
    "line",
    [
        "ls\0-la", "ls\r\nrm x", "ls\x0brm", "ls\ud800",  # characters that no shell word has
        "ls;;rm x", "cat 3<>f", "ls (", "echo 'a", "ls |",  # no syntax, whatever the parser says
        '{ a; } | b | c "$(d)"\nrm <<E\ntext\nE',  # the parser takes the second line for arguments of the first
        "r\\\nm x", "echo $\"x\"", "echo a$'\\x41'", "ls #'\nrm x #'\n'",  # other tokens than bash sees
        "((x=1))", "echo $((x))", "echo $[x]", "echo ${x:=1}", "echo ${!x}", "echo ${x[0]}", "echo ${x@P}",
        "[ a > b ]", "[ a && rm b ]", "select x in a; do ls; done", "case a in a) ls;; esac",
        "for ((;;)); do ls; done", "a[0]=1 ls", "`echo \\`ls\\``", "echo @(a|b)",
        "cat <<EOF -n\na\nEOF", "cat <<EOF\n$(ls)\nEOF", "cat <<EOF\na", "cat <<A <<B\na\nA\nb\nB",
        "cat <<EOF\na\nE\\\nOF\nEOF",
    ],
)  # fmt: skip
def test_what_may_mean_something_else_to_bash_is_not_understood(line: str) -> None:
    """R2"""
    with pytest.raises(NotUnderstood):
        parse(line)


def test_every_command_is_found_wherever_it_stands() -> None:
    """R1: a part is a part, in a loop, a condition, a substitution or behind a here-document."""
    line = (
        "cat <<'EOF' | s\ntext\nEOF\n"
        "if a; then b; elif c; then d; else e; fi; while f; do g; done; for x in $(h); do i; done\n"
        '{ j; } && (k) || ! l | m |& n <(o) "$(p `q`)" "${x:-$(r)}"\nt <<< $(u)'
    )
    assert sorted(words[0] for words in texts(line)) == [*"abc", "cat", *"defghijklmnopqrstu"]


def test_every_redirection_is_found_wherever_it_stands() -> None:
    """R2"""
    script = parse("a >1 | { b 2>>2; } &>3; (c) >|4; if d; then e; fi <5; while f; do g; done >6; >7; h $(<8) 9>&1")
    assert [(each.operator, each.target and each.target.text) for each in script.redirections] == [
        (">", "1"), (">>", "2"), ("&>", "3"), (">|", "4"), ("<", "5"), (">", "6"), (">", "7"), ("<", "8"), (">&", "1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "x=1", "x=1 y=2", "export x=1", "f() { ls; }", "function f { ls; }", "unset x", "x=(1 2)", "ls &",
        "for x in a; do ls; done", "for PATH in .; do ls; done", "for x; do ls; done",
    ],
)  # fmt: skip
def test_changes_of_the_shell_are_told_apart(line: str) -> None:
    """R2"""
    assert parse(line).changes


@pytest.mark.parametrize(
    "line", [": {PATH}</dev/null", "cat {a}<b; ls", "cat {a[${x}]}<<<b", "cat {a}<<E\nx\nE", "cat {a}<&0"]
)
def test_a_redirection_that_sets_a_variable_is_not_taken_for_an_argument(line: str) -> None:
    """R2: bash puts the descriptor's number into the variable."""
    with pytest.raises(NotUnderstood, match="may set a variable"):
        parse(line)


@pytest.mark.parametrize(
    "line", ["{ ls; }</dev/null", "cat ${x}</dev/null", "find . -exec cat {}</dev/null \\;", "echo {x} <a"]
)
def test_other_braces_before_a_redirection_are_read(line: str) -> None:
    """R2"""
    assert [each.operator for each in parse(line).redirections] == ["<"]


@pytest.mark.parametrize(
    ("line", "deciding"),
    [
        ("a | b", ["b"]), ("a; b", ["b"]), ("a && b", ["a", "b"]), ("a || b", ["b"]), ("! a", ["a"]),
        ("(a; b) 2>/dev/null", ["b"]), ("{ a && b; }", ["a", "b"]), ("a && b || c", ["c"]), ("a\nb # c", ["b"]),
        ("if a; then b; fi", []), ("", []), ("cat <<'E' | b\nx\nE", []), ("for x in a; do b; done", []),
    ],
)  # fmt: skip
def test_the_commands_that_decide_the_exit_status_are_known(line: str, deciding: list[str]) -> None:
    """R5"""
    assert [command.source for command in parse(line).deciding] == deciding


@pytest.mark.parametrize(
    "line",
    [
        "(" * 9000 + "ls" + ")" * 9000, "{ " * 4500 + "ls" + "; }" * 4500, "echo " + "$(" * 4500 + "ls" + ")" * 4500,
        'echo ' + '"$(' * 4500 + "ls" + ')"' * 4500, "${x:-" * 4500 + "}" * 4500, "(" * 9000, "[ " * 4500,
        "if ls; then " * 3000 + "ls" + "; fi" * 3000, "! " * 9000 + "ls", "`" * 9000, "$((" * 3000 + "))" * 3000,
    ],
)  # fmt: skip
def test_deep_nesting_ends_after_few_steps(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """R2: judged by nodes looked at, not by the clock."""
    steps = 0
    walk = grammar._walk

    def counted(root):
        nonlocal steps
        for node in walk(root):
            steps += 1
            yield node

    monkeypatch.setattr(grammar, "_walk", counted)
    try:
        parse(line)
    except NotUnderstood:
        assert steps < 10 * DEEPEST
    else:
        assert steps < 5 * len(line)


def test_a_command_longer_than_the_limit_is_not_read() -> None:
    parse("ls " + "a" * (LONGEST_BYTES - 3))
    with pytest.raises(NotUnderstood, match="longer than"):
        parse("ls " + "a" * (LONGEST_BYTES - 2))
