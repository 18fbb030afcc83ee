"""What the deny rules of a log's header forbid, read here once more, by none of the executor's code (H3).

The rule: only what is certain counts. Where nothing but a tool, or a shell's grammar, can tell what a call is about,
rules with a pattern are not held against it. No times here.
"""

import posixpath
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, NamedTuple

_ABOUT: Final = ("command", "file_path", "path", "pattern")
"""The fields of an input that tell what a call is about, the first that is there."""
_PLAIN: Final = re.compile(r"[A-Za-z][\w.+-]*(?: [\w./:@%+,-]+)*", re.ASCII)
_KEYWORDS: Final = frozenset({"case", "for", "function", "if", "select", "until", "while"})


class DenyRule(NamedTuple):
    """A rule as a header tells it: its text, the tool it names, and the pattern, ``None`` for whatever the call is.

    >>> [DenyRule.read(text)[1:] for text in ("Read", "Read(*)", "Bash(rm:*)")]
    [('Read', None), ('Read', None), ('Bash', 'rm:*')]
    """

    text: str
    tool: str
    pattern: str | None

    @classmethod
    def read(cls, text: str) -> "DenyRule":
        """Read a rule's text; one that is none names no tool."""
        tool, _, pattern = text.strip().removesuffix(")").partition("(")
        return cls(text, tool, None if pattern in ("", "*") else pattern)

    def names(self, names: Iterable[str]) -> bool:
        """Tell whether the rule is about a tool with one of these names, or about all tools of its server."""
        return any(fnmatchcase(name, self.tool) or name.startswith(self.tool + "__") for name in names)

    def forbids(self, subject: str | None) -> bool:
        """Tell whether the rule forbids what is about this; of ``None`` it is not known what it is about.

        >>> rules = [DenyRule.read(f"Read({pattern})") for pattern in ("src/**/a", "src/*", "src/**")]
        >>> [[rule.forbids(path) for rule in rules] for path in ("src/a", "./src/b/a", "lib/../src/b", "src")]
        [[True, True, True], [True, False, True], [False, True, True], [False, False, False]]
        """
        if self.pattern is None or subject is None:
            return self.pattern is None
        if self.pattern.endswith(":*"):
            prefix = self.pattern.removesuffix(":*")
            return subject.startswith(prefix) and subject[len(prefix) :][:1] in ("", " ", "\t", "\n")
        if "/" in self.pattern and " " not in self.pattern and "://" not in self.pattern:
            return _leads_to(_resolved(self.pattern), _resolved(subject))
        return fnmatchcase(subject, self.pattern)


def denying(
    rules: Iterable[DenyRule], names: Iterable[str], tool: Mapping[str, Any], given: Mapping[str, Any] | None
) -> str | None:
    """Give the text of a rule that denies a call, ``None`` where there is none (H3).

    Args:
        rules: the deny rules.
        names: the tool's, retired ones included.
        tool: what the header says of it.
        given: the body's input, ``None`` where the log does not tell it: then rules with a pattern do not count.
    """
    meant = [rule for rule in rules if rule.names(names)]
    if not meant:
        return None
    subject = None if given is None else _subject(tool, given)
    return next((rule.text for rule in meant if rule.forbids(subject)), None)


def _subject(tool: Mapping[str, Any], given: Mapping[str, Any]) -> str | None:
    """Tell what a call is about; what is filled in counts too (X2), and of a shell's commands the plainest only."""
    seen = {**given, **tool.get("backfill", {})}
    subject = next((seen[field] for field in _ABOUT if isinstance(seen.get(field), str)), None)
    if subject is None or tool.get("safe", True) is not None:
        return subject
    is_plain = _PLAIN.fullmatch(subject) and subject.split()[0] not in _KEYWORDS
    return subject if is_plain else None


def _resolved(path: str) -> str:
    resolved = posixpath.normpath(path)
    return f"/{resolved.lstrip('/')}" if resolved.startswith("/") else resolved


def _leads_to(glob: str, path: str) -> bool:
    """Follow a glob through a path, keeping every place to which it may have come."""
    places = {0}
    for part in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", glob):
        places = {after for place in places for after in _after(part, path, place)}
    return len(path) in places


def _after(part: str, path: str, place: int) -> Iterable[int]:
    """Give the places to which a part of a glob may lead from one."""
    folder_ends = place + len(path[place:].partition("/")[0])
    match part:
        case "**/":
            return [place, *(n + 1 for n in range(place, len(path)) if path[n] == "/")]
        case "**":
            return range(place, len(path) + 1)
        case "*":
            return range(place, folder_ends + 1)
        case "?":
            return [place + 1] if place < folder_ends else []
        case _:
            return [place + len(part)] if path.startswith(part, place) else []
