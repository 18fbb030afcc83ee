"""Whatever the text, a verdict comes out, and nothing composed with a writer is safe (R2)."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.safety.shell import Verdict, classify_command, is_answer

FRAGMENTS = [
    "ls", "cat a.txt", "echo", "grep -q x", "git log", "find . -name", "sed -n", "awk", "xargs", "env",
    "test -f", "[ -f", "[[", "]]", "]", "'", '"', "`", "$(", ")", "(", "{", "}", "${", "$x", "$((", "))",
    "\\", "\n", "\\\n", "#", "<<EOF", "\nEOF\n", "<<<", "<", "<(", "2>&1", ">/dev/null", ";", ";;", "&&",
    "||", "|", "|&", "!", "for f in", "do", "done", "if", "then", "fi", "while", "case", "esac", "time", "*",
    "?", "{a,b}", "-o", "--", "=", "~", "\t", " ", "\r", "é",
]  # fmt: skip
READERS = st.sampled_from(
    [
        "ls",
        "cat a.txt",
        "grep -rn x src | head",
        "git status",
        "true",
        "echo 'a b' \"$x\"",
        "find . -name '*.py'",
        "wc < a",
    ]
)
WRITERS = st.sampled_from(
    ["rm a", "echo x > out", "sort -o out a", "git commit -m x", "x=1", "cd sub", "eval ls", "sed -i s/a/b/ a",
     "find . -delete", "./run", "ls &", "f() { ls; }", "tee out", "python x.py", "awk '{print > \"out\"}' a"]
)  # fmt: skip
FRAMES = [
    "{0}; {1}", "{1}; {0}", "{0} && {1}", "{1} || {0}", "{0} | {1}", "{1} | {0}", "{0}\n{1}", "({1})", "{{ {1}; }}",
    "! {1}", "if {0}; then {1}; fi", "if {1}; then {0}; fi", "while {0}; do {1}; done", "for f in a; do {1}; done",
    "echo $({1})", 'echo "$({0}; {1})"', "cat <({1})", "{0} $({1})", "{0} 2>/dev/null; {1}", "({0}; ({1}))",
    "for f in $({1}); do {0}; done", "echo ${{x:-$({1})}}", "cat <<'E'\ntext\nE\n{1}", "cat <<< \"$({1})\"",
    "[ -n \"$({1})\" ] && {0}", "[[ $({1}) == a ]]", "{0} # no\n{1}", "echo \\\n  $({1})", "until {1}; do {0}; done",
]  # fmt: skip

WITH_UNKNOWN_WORDS = ["{0} $({1})"]
"""Frames that make words of a reader's output, which to some readers may be options."""
LOOPS_OVER_WORDS = [frame for frame in FRAMES if frame.startswith("for ")]
"""Frames that set a variable of the shell, whatever is in them."""
CONTINUES = "\\"
"""At the end of a line it makes the next line's words arguments."""


@given(st.one_of(st.text(), st.text(alphabet=string.printable), st.lists(st.sampled_from(FRAGMENTS)).map(" ".join)))
def test_any_text_gets_a_verdict(text: str) -> None:
    verdict = classify_command(text)
    assert isinstance(verdict.concurrency_safe, bool)
    assert verdict.why
    assert "\n" not in verdict.why
    assert isinstance(is_answer(text, 1), bool)


@given(st.lists(st.sampled_from(FRAGMENTS)).map("".join), WRITERS)
def test_a_writer_on_a_line_of_its_own_is_never_safe_whatever_comes_before(text: str, writer: str) -> None:
    """A quotation or a here-document that is left open in front of it makes the whole not understood."""
    assert not classify_command(f"{text.rstrip(CONTINUES)}\n{writer}").concurrency_safe


@pytest.mark.parametrize("frame", FRAMES)
@given(reader=READERS, writer=WRITERS)
def test_what_is_composed_with_a_writer_is_never_safe(frame: str, reader: str, writer: str) -> None:
    assert not classify_command(frame.format(reader, writer)).concurrency_safe


@pytest.mark.parametrize("frame", [frame for frame in FRAMES if frame not in WITH_UNKNOWN_WORDS + LOOPS_OVER_WORDS])
@given(one=READERS, other=READERS)
def test_what_is_composed_of_readers_is_safe(frame: str, one: str, other: str) -> None:
    """R1: so the test above is not passed by refusing every composition."""
    assert classify_command(frame.format(one, other)).concurrency_safe


@pytest.mark.parametrize("frame", LOOPS_OVER_WORDS)
@given(one=READERS, other=READERS)
def test_a_loop_over_words_is_no_reader_for_its_variable_stays_in_the_shell(frame: str, one: str, other: str) -> None:
    """R2: as little as the assignment that does the same."""
    verdict = classify_command(frame.format(one, other))
    assert verdict == Verdict(False, "`for f` sets a variable, which changes the shell")
    assert not classify_command(f"f=a; {one}; {other}").concurrency_safe
