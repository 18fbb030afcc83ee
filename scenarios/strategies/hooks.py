"""Random hooks: each says one thing, or fails in one way."""

from collections.abc import Sequence
from typing import Any, Final

from hypothesis import strategies as st

from ..hooks import HookSpec
from .grid import time
from .permissions import rewrites

_SAYINGS: Final[dict[str, dict[str, Any]]] = {
    "nothing": {},
    "message": {"message": "a message"},
    "context": {"context": "more context"},
    "allow": {"permission": "allow"},
    "deny": {"permission": "deny", "reason": "a hook says so"},
    "ask": {"permission": "ask"},
    "prevent": {"prevents_continuation": True},
    "stop": {"stop": "stopped by a hook"},
    "warn": {"exit": 1},
    "block": {"exit": 2},
    "raise": {"raises": "broken"},
    "unlaunched": {"launch_error": True},
}

_NAMES: Final = [*_SAYINGS, *["allow", "deny", "ask"] * 4]
"""Half of the hooks have a word on permission: what that word meets is what there is most to get wrong about."""


@st.composite
def hook(draw: st.DrawFn, tools: Sequence[str], *, rewriting: bool, endless: bool, stubborn: bool) -> HookSpec:
    """Make one hook."""
    words: dict[str, Any] = {"on": draw(st.sampled_from(["pre", "pre", "post", "failure"]))}
    words["tools"] = draw(st.sampled_from(["*", *tools]))
    words["takes"] = time(draw(st.integers(0, 5)))
    words |= _SAYINGS[draw(st.sampled_from(_NAMES))]
    if rewriting and words["on"] == "pre" and draw(st.booleans()):
        words["rewrite"] = draw(rewrites())
    if endless and draw(st.booleans()):
        words |= {"takes": "hang", "timeout": time(draw(st.integers(1, 5))), "fail_closed": draw(st.booleans())}
        words |= {"speaks_first": draw(st.booleans()), "stubborn": stubborn and draw(st.booleans())}
    return HookSpec(**words)


@st.composite
def hooks(
    draw: st.DrawFn,
    tools: Sequence[str] = ("Read",),
    max_hooks: int = 3,
    *,
    rewriting: bool = True,
    endless: bool = True,
    stubborn: bool = True,
) -> list[HookSpec]:
    """Make the hooks of an installation; they shrink towards none, then towards one that says nothing at once.

    Args:
        tools: which tools they may be about.
        max_hooks: how many there are at most.
        rewriting: whether they may give another input.
        endless: whether some never end by themselves; these have a deadline.
        stubborn: whether some of those resist being cancelled.
    """
    count = draw(st.integers(0, max_hooks))
    return [draw(hook(tools, rewriting=rewriting, endless=endless, stubborn=stubborn)) for _ in range(count)]
