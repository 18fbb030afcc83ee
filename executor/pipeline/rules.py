"""Permission rules as users write them in settings files: ``Tool`` or ``Tool(pattern)``. Pure.

The rule: a pattern is matched with what a call is *about*, its subjects; a tool says what those are.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase, translate
from functools import lru_cache
from typing import Final

_FORM: Final = re.compile(r"(?P<tool>[^()\s]+)(?:\((?P<pattern>.*)\))?", re.DOTALL)
_PREFIX: Final = ":*"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    The tool's name may be a glob; a server's name alone (``mcp__github``) means all its tools. In the pattern ``*``
    stands for anything, ``prefix:*`` for the prefix alone or with further words behind it. A pattern with a ``/`` is a
    path's, unless it has a space or is an address: ``*`` stays within a folder, ``**`` crosses folders, ``./``, ``..``
    and doubled slashes are resolved first.

    Args:
        text: the rule as it was written.
        tool: the tool's name, or a glob.
        pattern: what the call must be about, ``None`` for anything.
    """

    text: str
    tool: str
    pattern: str | None
    _matcher: re.Pattern[str] | None = field(default=None, repr=False)
    _is_path: bool = field(default=False, repr=False)

    @classmethod
    @lru_cache(maxsize=1024)
    def parse(cls, text: str) -> "Rule":
        """Read a rule.

        Raises:
            ValueError: the text is not of the form ``Tool`` or ``Tool(pattern)``.

        >>> log, deep, flat = map(Rule.parse, ("Bash(git log:*)", "Read(src/**)", "Read(src/*)"))
        >>> log.covers("git log --oneline"), log.covers("git logx")
        (True, False)
        >>> deep.covers("./src/a/b.py"), flat.covers("src/a/b.py")
        (True, False)
        """
        form = _FORM.fullmatch(text.strip()) if isinstance(text, str) else None
        if form is None:
            raise ValueError(f"permission rule: expected Tool or Tool(pattern), got {text!r}")
        pattern = None if form["pattern"] in (None, "", "*") else form["pattern"]
        if pattern is None:
            return cls(text, form["tool"], pattern)
        if pattern.endswith(_PREFIX):
            return cls(text, form["tool"], pattern, _prefix_matcher(pattern.removesuffix(_PREFIX)))
        is_path = "/" in pattern and " " not in pattern and "://" not in pattern
        matcher = _path_matcher(_resolved(pattern)) if is_path else re.compile(translate(pattern))
        return cls(text, form["tool"], pattern, matcher, is_path)

    def names(self, names: Iterable[str]) -> bool:
        """Whether the rule is about a tool with one of these names, retired ones included."""
        return any(fnmatchcase(name, self.tool) or name.startswith(f"{self.tool}__") for name in names)

    def meets(self, subjects: Sequence[str]) -> bool:
        """Whether the rule speaks of one of the subjects at least."""
        return self.pattern is None or any(map(self.covers, subjects))

    def covers(self, subject: str) -> bool:
        """Whether the rule speaks of this subject."""
        if self._matcher is None:
            return True
        return self._matcher.fullmatch(_resolved(subject) if self._is_path else subject) is not None


@lru_cache(maxsize=1024)
def _resolved(path: str) -> str:
    # normpath keeps two leading slashes, as POSIX lets it; here they must not hide a path from its rule.
    resolved = posixpath.normpath(path)
    return "/" + resolved.lstrip("/") if resolved.startswith("/") else resolved


def _prefix_matcher(prefix: str) -> re.Pattern[str]:
    """A prefix as a regular expression: alone, or with further words behind it."""
    return re.compile(rf"{re.escape(prefix)}(?:[ \t\n].*)?", re.DOTALL)


def _path_matcher(glob: str) -> re.Pattern[str]:
    """A path's glob as a regular expression: ``**`` crosses folders, ``*`` and ``?`` stay within one."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    meaning = {"**/": r"(?:.*/)?", "**": r".*", "*": r"[^/]*", "?": r"[^/]"}
    return re.compile("".join(meaning.get(part, re.escape(part)) for part in parts), re.DOTALL)
