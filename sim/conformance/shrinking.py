"""Make a scenario as simple as it can be while something still shows in it.

The rule: what is left out of a scenario's words is its default, so simpler means fewer words: everything is left out
that can be, whatever words there are; then durations are shortened. Durations are words with units, as in a file.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final

from pydantic import ValidationError

from scenarios.durations import parse_duration
from scenarios.model import Scenario

TRIES: Final = 1_000
"""How many simpler scenarios are tried at most."""
_SHORT: Final = ("100ms", "200ms", "1s")

_PLAIN: Final = "Read"
"""The tool of every call that names none."""

_Path = tuple[str | int, ...]


def simplest(scenario: Scenario, shows: Callable[[Scenario], bool], tries: int = TRIES) -> Scenario:
    """Leave out what can be left out of a scenario, and shorten what cannot, until nothing more can be.

    Args:
        scenario: where it shows.
        shows: whether it still does.
        tries: see :data:`TRIES`.

    >>> turn = Scenario(calls=[{"id": "a", "at": "2s"}, {"id": "b", "at": "3s", "progress": ["1s"], "takes": "5s"}])
    >>> from scenarios import dump
    >>> print(dump(simplest(turn, lambda turn: any(call.takes for call in turn.calls))), end="")
    calls:
      - {id: b, takes: 100ms}
    """
    words = scenario.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    words = {key: value for key, value in words.items() if key not in ("scenario", "expect")}
    progressed = True
    while progressed:
        progressed = False
        place = 0
        while place < len(edits := list(_edits(words))):
            candidate = _with(words, *edits[place])
            simpler = _read(candidate)
            place += 1
            if simpler is None or tries <= 0:
                continue
            tries -= 1
            if shows(simpler):
                words, scenario, progressed = candidate, simpler, True
                place -= 1
    return scenario


def _edits(words: Any) -> Iterator[tuple[_Path, str | None]]:
    """Give what may be made simpler: paths to leave out (``None``), plainer tools and names, shorter durations."""
    paths = sorted(_paths(words), key=len)
    yield from ((path, None) for path in paths)
    named = [path for path in paths if path[-1] == "tool"]
    yield from ((path, _PLAIN) for path in named if _at(words, path) != _PLAIN)
    tools = words.get("tools", {})
    by_alias = {alias: name for name, tool in tools.items() for alias in tool.get("aliases", ()) if alias not in tools}
    yield from ((path, by_alias[alias]) for path in named if (alias := _at(words, path)) in by_alias)
    for path in paths:
        yield from ((path, shorter) for shorter in _shorter(_at(words, path)))


def _paths(words: Any, path: _Path = ()) -> Iterator[_Path]:
    items = words.items() if isinstance(words, dict) else enumerate(words) if isinstance(words, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from _paths(value, (*path, key))


def _shorter(value: Any) -> Iterator[str]:
    try:
        long_ns = parse_duration(value) if isinstance(value, str) else 0
    except ValueError:
        return
    yield from (short for short in _SHORT if parse_duration(short) < long_ns)


def _at(words: Any, path: _Path) -> Any:
    for key in path:
        words = words[key]
    return words


def _with(words: Any, path: _Path, value: str | None) -> Any:
    changed = deepcopy(words)
    parent = _at(changed, path[:-1])
    if value is None:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    if value == _PLAIN and "tools" in changed:
        changed["tools"].setdefault(_PLAIN, {})
    return changed


def _read(words: Any) -> Scenario | None:
    try:
        return Scenario.model_validate(words)
    except ValidationError:
        return None
