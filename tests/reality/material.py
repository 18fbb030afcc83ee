"""Recorded responses with several calls, played: under the profile of their version, and with a choice of it changed.

The rule: what is counted can be named. Times in nanoseconds.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scenarios.traces import PROFILES, Profile, TraceError
from scenarios.traces.builtins import CLASSES
from sim.analysis.fidelity import Fidelity, Start, fidelity, is_telling, lengths_ns, without_hooks, witnessed

OTHER_ENGINE = "the other engine"

CLAUDE = [profile for profile in PROFILES if profile.program == "Claude Code"]

PER_TOOL = tuple(name for name, known in CLASSES.items() if known.safe)
"""The tools that are safe where a shell counts per tool (R3)."""


@dataclass
class Material:
    """What a folder holds, played."""

    files: int = 0
    unreadable: int = 0
    turns: int = 0
    played: list[tuple[Path, Fidelity]] = field(default_factory=list)
    """Each response with several calls, and its file."""
    alone: list[Fidelity] = field(default_factory=list)
    """Those with one call, whose start is told."""
    alone_ns: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """How long calls took that were alone in their response, by profile and tool."""
    again: dict[tuple[str, str], list[Fidelity]] = field(default_factory=dict)
    """What was played with a choice changed, by profile and change."""

    def of(self, *profiles: Profile) -> list[Fidelity]:
        """The responses of these profiles that could be played."""
        return [each for _, each in self.played if each.turn.choice.profile in profiles and each.why_not is None]


@dataclass(frozen=True)
class Off:
    """How far runs were off the starts that were told, ``None`` where none was."""

    starts: int
    median_ns: float | None
    p95_ns: float | None


@dataclass(frozen=True)
class Measured:
    """What some responses amount to; starts by exact witnesses and by others."""

    responses: int
    same: int
    tied: int
    other: int
    cancelled_same: int
    with_cancelled: int
    exact: Off
    others: Off
    neighbours_right: int
    neighbours_told: int
    peak: int
    clean: int
    """How many runs break no rule."""


def play(folder: Path) -> Material:
    """Play what a folder of recordings holds."""
    found = Material()
    for path in sorted(folder.glob("*/*")):
        try:
            for turn, witness in witnessed(path):
                found.turns += 1
                if len(turn.calls) > 1:
                    found.played.append((path, fidelity(turn, witness)))
                elif is_telling(witness):
                    found.alone.append(fidelity(turn, witness))
                if len(turn.calls) == 1 and turn.choice.profile is not None:
                    for tool, ns in lengths_ns(turn):
                        found.alone_ns[turn.choice.profile.name, tool].append(ns)
        except TraceError:
            found.unreadable += 1
        else:
            found.files += 1
    return found


def measure(played: Sequence[Fidelity]) -> Measured:
    """Add up some responses."""
    orders = Counter(each.order for each in played)
    told = [pair for each in played for pair in each.neighbours if pair.recorded is not None]
    return Measured(
        responses=len(played),
        same=orders["same"],
        tied=orders["tied"],
        other=orders["other"],
        cancelled_same=sum(each.cancelled == each.recorded_cancelled for each in played),
        with_cancelled=sum(bool(each.recorded_cancelled) for each in played),
        exact=off([start for each in played for start in each.starts if start.is_exact]),
        others=off([start for each in played for start in each.starts if not start.is_exact]),
        neighbours_right=sum(pair.predicted == pair.recorded for pair in told),
        neighbours_told=len(told),
        peak=max((each.peak for each in played), default=0),
        clean=sum(not each.violations for each in played),
    )


def off(starts: Sequence[Start]) -> Off:
    """Add up how far runs were off."""
    errors_ns = sorted(abs(start.error_ns) for start in starts)
    if not errors_ns:
        return Off(0, None, None)
    return Off(len(errors_ns), statistics.median(errors_ns), errors_ns[int(0.95 * len(errors_ns))])


def changed(profile: Profile) -> dict[str, Profile]:
    """Give a profile with one choice made otherwise, by what is changed."""
    others: dict[str, dict[str, Any]] = {
        OTHER_ENGINE: {"engine": "batch" if profile.engine == "streaming" else "streaming"},
        "results in request order": {"emission": "ordered"},
        "a shell counts per tool": {"together": PER_TOOL},
    }
    if profile.cascade == "never":
        others["errors of shells cancel"] = {"cascade": "any"}
    else:
        wider = profile.culprits == "shells"
        others["no error cancels"] = {"cascade": "never"}
        others["errors of all tools cancel" if wider else "errors of shells only cancel"] = {
            "culprits": "any" if wider else "shells"
        }
    return {what: replace(profile, **choice) for what, choice in others.items()}


def replayed(found: Material, profile: Profile, what: str) -> list[Fidelity]:
    """Play the responses of a profile with one choice changed; once for each."""
    if (profile.name, what) not in found.again:
        found.again[profile.name, what] = list(_replayed(found, profile, changed(profile)[what]))
    return found.again[profile.name, what]


def _replayed(found: Material, profile: Profile, other: Profile) -> Iterator[Fidelity]:
    for path in dict.fromkeys(path for path, each in found.played if each.turn.choice.profile == profile):
        witnesses = {each.turn.number: each.turn for one, each in found.played if one == path and each.why_not is None}
        for turn in without_hooks(path, other):
            witness = witnesses.get(turn.number)
            if witness is not None and witness.choice.profile == profile:
                yield fidelity(turn, witness)
