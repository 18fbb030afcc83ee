"""Which profile a recording has: that of the version which wrote it.

The rule: where no profile covers that version, or it is later than any seen, it is said, and where nothing tells there
is none. No times here.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from .profiles import PROFILES, PUBLISHED, Profile, Version, published_for, written

_VERSION: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)")


class Choice(NamedTuple):
    """A recording's profile.

    Args:
        profile: ``None`` where nothing tells.
        why: it is this one.
        sure: whether that is certain.
        program: what wrote the recording, where it is known.
    """

    profile: Profile | None
    why: str
    sure: bool
    program: str | None = None

    @property
    def assumed(self) -> Profile:
        """The profile, or where there is none the published design with the program's own tools."""
        return self.profile or published_for(self.program)

    def __str__(self) -> str:
        """Say which it is and why."""
        if self.profile is None:
            return f"none ({self.why}), taken as {PUBLISHED.name}, the published design"
        return f"{self.profile.name} ({self.why})"


@lru_cache(maxsize=256)
def choose(program: str | None, version: str | None, *, interleaved: bool = False, cancelled: bool = False) -> Choice:
    """Choose the profile of a recorded response.

    Args:
        program: who wrote the file, ``None`` where that has no profile.
        version: of the program, as the file has it.
        interleaved: whether a result stands before the response's last block.
        cancelled: whether an error cancelled a sibling.

    >>> choose("Claude Code", "2.1.37").profile.name, choose("Claude Code", "2.1.37").why
    ('claude-any-error', '2.1.37 is one of those from 2.1.25 to 2.1.45')
    >>> choose("Claude Code", "2.1.23").why
    'no profile covers 2.1.23, and the order of its lines does not tell'
    """
    candidates = [profile for profile in PROFILES if profile.program == program]
    if not candidates:
        return Choice(None, "what wrote it has no profile", False, program)
    number = version_of(version)
    if number is None:
        unknown, later = "the file names no version", candidates
    else:
        for profile in candidates:
            if profile.covers(number):
                return Choice(profile, _fit(profile, number), sure=True)
        unknown = f"no profile covers {written(number)}"
        later = [profile for profile in candidates if profile.first is not None and number < profile.first]
    if len(candidates) == 1:
        return Choice(candidates[0], f"{unknown}; it is the only one of {program}", sure=False)
    streaming = [profile for profile in later if profile.engine == "streaming"]
    if streaming and cancelled:
        return Choice(streaming[0], f"{unknown}; an error cancelled a sibling", sure=True)
    if streaming and interleaved:
        chosen = streaming[-1] if number is None else streaming[0]
        return Choice(chosen, f"{unknown}; a result stands before the last block", sure=True)
    return Choice(None, f"{unknown}, and the order of its lines does not tell", False, program)


def version_of(text: str | None) -> Version | None:
    """Read a version number; ``None`` where there is none.

    >>> version_of("2.1.37"), version_of("1.0.64-3"), version_of(None)
    ((2, 1, 37), (1, 0, 64), None)
    """
    found = _VERSION.match(text) if text else None
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _fit(profile: Profile, number: Version) -> str:
    if profile.last is None and number > profile.seen:
        return f"{written(number)} is later than {written(profile.seen)}, the last one seen, and taken to be like it"
    if profile.first is None and profile.last is None:
        return f"{written(number)} is like all versions seen"
    return f"{written(number)} is one of those {profile.versions}"
