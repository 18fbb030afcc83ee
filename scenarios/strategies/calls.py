"""Random tools and calls. Unit: ticks of 100 ms until a call is made of its draft."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from hypothesis import strategies as st

from ..calls import Call, ToolSpec
from .features import FEATURES, Feature
from .grid import TICKS, time
from .permissions import INPUTS

TOOLS: Final = {
    "Read": ToolSpec(),
    "Look": ToolSpec(interrupt="cancel"),
    "Edit": ToolSpec(safe=False),
    "Send": ToolSpec(safe=False, interrupt="cancel"),
    "Bash": ToolSpec(safe=False, cascades=True),
    "Grep": ToolSpec(cascades=True),
    "Odd": ToolSpec(classifier_raises=True),
    "Gone": ToolSpec(available=False),
    "Fetch": ToolSpec(approval=True),
    "Ask": ToolSpec(interactive=True),
}
_NEEDS: Final[dict[str, Feature]] = {
    "Edit": "classes",
    "Send": "classes",
    "Bash": "cascading",
    "Grep": "cascading",
    "Odd": "classifier",
    "Gone": "unknown",
    "Fetch": "questions",
    "Ask": "questions",
}
Draft = dict[str, Any]


@st.composite
def tools(draw: st.DrawFn, on: Collection[Feature]) -> dict[str, ToolSpec]:
    """Make the tools that the calls of a turn may use."""
    made = {name: tool for name, tool in TOOLS.items() if name not in _NEEDS or _NEEDS[name] in on}
    changes: dict[str, Any] = {}
    if "background" in on and draw(st.booleans()):
        changes["detached"] = True
    if "deadlines" in on:
        for name, tick in draw(st.dictionaries(st.sampled_from(list(made)), st.integers(1, 10), max_size=4)).items():
            made[name] = ToolSpec(**made[name].model_dump(exclude_defaults=True), timeout=time(tick))
    return {name: tool.model_copy(update=changes) for name, tool in made.items()} if changes else made


@st.composite
def drafts(draw: st.DrawFn, tools: Mapping[str, ToolSpec], on: Collection[Feature]) -> Draft:
    """Draw what one call does, its times still in ticks."""
    draft: Draft = {"tool": draw(st.sampled_from(list(tools))), "at": draw(TICKS), "takes": draw(TICKS)}
    ends = ["ok"] + ["error", "raise"] * ("failures" in on) + ["cancelled"] * ("foreign_cancel" in on)
    ends += ["hang"] * (tools[draft["tool"]].timeout_ns is not None)
    draft["ends"] = draw(st.sampled_from(ends))
    if "stubborn" in on:
        draft["stubborn"] = draw(st.sampled_from(["no", "signal", "cancel"]))
    if "overrides" in on:
        draft["safe"] = draw(st.sampled_from([None, True, False]))
    if "invalid" in on:
        draft["valid"] = not draw(st.booleans())
    if "progress" in on:
        draft["progress"] = sorted(draw(st.sets(st.integers(0, draft["takes"]), max_size=3)))
    if "modifiers" in on:
        draft["sets"] = draw(st.sets(st.sampled_from("xy")))
    if "rules" in on or "rewrites" in on:
        draft["input"] = draw(INPUTS)
    if "background" in on and draft["ends"] != "hang":
        draft["background"] = draw(st.none() | TICKS)
    if "refusals" in on:
        draft["refuses"] = draw(st.none() | st.integers(0, draft["takes"]))
    return draft


def call_of(name: str, draft: Draft) -> Call:
    """Make a call; what it sets is its own id, so that order shows in the context."""
    words = dict(draft, id=name, at=time(draft["at"]))
    words["takes"] = 0 if draft["ends"] == "hang" else time(draft["takes"])
    words["progress"] = [time(tick) for tick in draft.get("progress", ())]
    words["sets"] = dict.fromkeys(sorted(draft.get("sets", ())), name)
    for word in ("background", "refuses"):
        if draft.get(word) is not None:
            words[word] = time(draft[word])
    return Call(**words)


@st.composite
def calls(draw: st.DrawFn, max_calls: int = 12, on: Collection[Feature] = FEATURES) -> list[Call]:
    """Make the calls of a response in the order in which they arrive, named ``c0``, ``c1``, … and all reads.

    Args:
        max_calls: how many there are at most.
        on: what they may have besides their length.
    """
    # The number first: Hypothesis lowers it and drops any one call with it, however much was drawn for that call.
    drawn = [draw(drafts({"Read": ToolSpec()}, on)) for _ in range(draw(st.integers(0, max_calls)))]
    drawn.sort(key=lambda draft: draft["at"])
    return [call_of(f"c{n}", draft) for n, draft in enumerate(drawn)]
