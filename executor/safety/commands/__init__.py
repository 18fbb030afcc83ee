"""What is known of each command: tables to read and to extend, one module per family."""

import re
from collections import deque
from typing import Final

from .archives import ARCHIVES
from .awk import Awk
from .builtins import BUILTINS
from .find import Find
from .git import Git
from .hexdumps import Xxd
from .model import NotReadOnly, Rule, Words
from .search import SEARCH
from .sed import Sed
from .system import SYSTEM
from .texts import TEXTS
from .wrappers import WRAPPERS, CommandBuiltin, Wrapper
from .writers import WRITERS

RULES: Final[dict[str, Rule]] = {
    **BUILTINS, **TEXTS, **SEARCH, **SYSTEM, **ARCHIVES, **WRAPPERS, **WRITERS,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), Awk()),
    "sed": Sed(), "find": Find(), "git": Git(), "xxd": Xxd(),
}  # fmt: skip
"""The rule of each command by its name."""
_MOST_WRAPPED: Final = 20

__all__ = ["RULES", "NotReadOnly", "check_words", "name_of", "status_1_is_an_answer"]


def name_of(words: Words) -> str:
    """The name under which a command's rule is found.

    Raises:
        NotReadOnly: the name is only known when the shell runs it, or it is a path to a program of one's own.
    """
    text = words[0].text
    if text is None:
        raise NotReadOnly("has a name that only the shell knows")
    name = re.sub(r"^(?:/usr)?/bin/(?=[^/]+$)", "", text)
    if "/" in name:
        raise NotReadOnly("runs a program by its path")
    return name


def check_words(words: Words) -> None:
    """Hold a command, and the commands that it runs, against their rules (R1, R2).

    Raises:
        NotReadOnly: one of them does more than read, or may.

    >>> from executor.safety.words import Word
    >>> check_words([Word.literal(text) for text in "timeout 5 head -n 3 a.txt".split()])
    >>> check_words([Word.literal(text) for text in "nice sort -uo out.txt a.txt".split()])
    Traceback (most recent call last):
    executor.safety.commands.model.NotReadOnly: writes its result to a file (-o)
    """
    todo = deque([words])
    looked_at = 0
    while todo:
        looked_at += 1
        if looked_at > _MOST_WRAPPED:
            raise NotReadOnly("has too many commands in each other")
        inner = todo.popleft()
        todo.extend(_rule_of(inner).check(inner))


def _rule_of(words: Words) -> Rule:
    name = name_of(words)
    if name not in RULES:
        raise NotReadOnly("is not known: only commands with a rule run beside others")
    return RULES[name]


def status_1_is_an_answer(words: Words) -> bool:
    """Whether exit status 1 of this command is an answer and no error (R5)."""
    try:
        for _ in range(_MOST_WRAPPED):
            rule = _rule_of(words)
            if isinstance(rule, Git):
                return rule.sub_command(words).answers
            if not isinstance(rule, (Wrapper, CommandBuiltin)):
                return rule.answers
            inner = rule.peel(words)
            if not inner:
                return rule.answers
            words = inner
    except NotReadOnly:
        pass
    return False
