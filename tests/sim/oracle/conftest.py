"""Logs written by hand, ``<ms> <kind> [call] [words]`` a line, so that a test shows the whole log it judges."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from executor.events import Event, Kind

Write = Callable[[str], list[Event]]
Head = Callable[..., dict[str, Any]]


def _pairs(words: list[str]) -> list[list[str]]:
    return [word.split(":") for word in words if ":" in word]


def _detail(kind: str, words: list[str], index: Counter[int]) -> dict[str, Any]:
    match kind:
        case "block":
            tool, kind_of, *rest = (word for word in words if word != "gated")
            attempt = int(rest[0]) if rest else 0
            index[attempt] += 1
            return {
                "tool": tool,
                "index": int(rest[1]) if len(rest) > 1 else index[attempt] - 1,
                "attempt": attempt,
                "known": kind_of != "unknown",
                "valid": kind_of != "invalid",
                "safe": kind_of == "safe",
            } | ({"gated": True} if "gated" in words else {})
        case "left":
            return {"ended": words[0]} | dict.fromkeys(words[1:], True)
        case "entered":
            return {"input": dict(_pairs(words))} if words else {}
        case "completed":
            return {"outcome": words[0]}
        case "denied":
            return {"by": "rule"}
        case "refused":
            return {"by": words[0]}
        case "consumer_left":
            return {"how": words[0]}
        case "signalled":
            return {"reason": words[0]}
        case "result":
            outcome, *flags = words
            return {
                "what": "result",
                "outcome": outcome,
                "is_error": outcome != "ok",
                "abandoned": "abandoned" in flags,
            }
        case "progress":
            return {"what": "progress", "n": int(words[0])}
        case "progressed":
            return {"n": int(words[0]) if words else 0}
        case "turn_ended":
            return {"how": words[0], "closing": _pairs(words), "abandoned": [w for w in words[1:] if ":" not in w]}
        case "halted":
            return {"why": words[0], "waiting": [" ".join(words[1:])] if words[1:] else []}
        case "submit":
            return {"force": "force" in words, "took_effect": "took_effect" in words}
        case "discard":
            withdrawn = [word for word in words[1:] if ":" not in word]
            return {"attempt": int(words[0]), "withdrawn": withdrawn, "effects": [id_ for _, id_ in _pairs(words)]}
        case "response_started" | "response_ended" | "response_failed":
            return {"attempt": int(words[0]) if words else 0}
        case _:
            return {}


_NAMELESS = {"consumer_left", "turn_ended", "halted", "stop", "submit", "discard", "context"}


@pytest.fixture(scope="session")
def log() -> Write:
    """Read a log in the short form."""

    def write(text: str) -> list[Event]:
        events, index = [], Counter[int]()
        for line in filter(str.strip, text.splitlines()):
            ms, kind, *words = line.split()
            nameless = kind in _NAMELESS or kind.startswith("response")
            call = None if nameless else words.pop(0)
            real = Kind("emitted" if kind in ("result", "progress") else kind)
            events.append(Event(round(float(ms) * 1_000_000), real, call, _detail(kind, words, index)))
        return events

    return write


@pytest.fixture(scope="session")
def head() -> Head:
    """Give a header; keywords replace options, ``engine`` the engine."""

    def make(engine: str = "streaming", **options: Any) -> dict[str, Any]:
        told = {"max_concurrency": 10, "emission": "ordered", "cascade": "exclusive", "grace_ns": 2_000_000_000}
        start = "block" if engine == "streaming" else "response_end"
        return {
            "engine": engine,
            "scenario": "by hand",
            "seed": 0,
            "tools": {
                "Read": {"safe": True, "cascades": False, "interrupt": "cancel"},
                "Edit": {"safe": False, "cascades": False, "interrupt": "block"},
                "Bash": {"safe": False, "cascades": True, "interrupt": "cancel"},
            },
            "context": {},
            "options": told | {"start": start} | options,
            "reproduce": f"interlock run by-hand.yaml --engine {engine} --seed 0",
        }

    return make
