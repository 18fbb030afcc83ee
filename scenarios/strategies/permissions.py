"""Random permission rules and answers: few inputs, so that rules often meet."""

from collections.abc import Sequence
from typing import Final

from hypothesis import strategies as st

from ..hooks import Rewrite
from ..permissions import Answer, Permissions
from .grid import TICKS, time

INPUTS: Final = st.sampled_from("abc").map(lambda command: {"command": command})
"""What calls are about."""


def rewrites() -> st.SearchStrategy[Rewrite]:
    """Make inputs that are given instead of a call's own, of either class, seldom invalid."""
    valid = st.sampled_from([True, True, True, False])
    return st.builds(Rewrite, input=INPUTS, safe=st.sampled_from([None, True, False]), valid=valid)


def answers(says: Sequence[str] = ("allow", "deny", "refuse"), *, rewriting: bool = True) -> st.SearchStrategy[Answer]:
    """Make answers to the question whether a call may run; they shrink towards an instant yes.

    Args:
        says: what they may say.
        rewriting: whether an ``allow`` may come with another input.
    """

    def made(says: str, tick: int, rewrite: Rewrite | None) -> Answer:
        return Answer(says=says, after=time(tick), rewrite=rewrite if says == "allow" else None)

    return st.builds(made, st.sampled_from(list(says)), TICKS, st.none() | rewrites() if rewriting else st.none())


def rules(tools: Sequence[str]) -> st.SearchStrategy[dict[str, list[str]]]:
    """Make up to four rules about some tools or about what calls are about, by what they do."""
    texts = st.sampled_from(["*(a)", "*(b)", *tools, *(f"{tool}(c)" for tool in tools)])
    kinds = st.sampled_from(["deny", "ask", "allow"])

    def by_kind(pairs: list[tuple[str, str]]) -> dict[str, list[str]]:
        return {kind: [text for each, text in pairs if each == kind] for kind, _ in pairs}

    return st.lists(st.tuples(kinds, texts), max_size=4, unique=True).map(by_kind)


def permissions(tools: Sequence[str] = ("Read",)) -> st.SearchStrategy[Permissions]:
    """Make permission rules about some tools, with nobody to ask."""
    return rules(tools).map(lambda words: Permissions(**words))
