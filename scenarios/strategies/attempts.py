"""Random turns whose response fails and is asked for again. Unit: ticks of 100 ms."""

from typing import Final

from hypothesis import strategies as st

from ..model import Attempt, Happening, Options, Scenario
from .calls import TOOLS, call_of, drafts
from .features import Feature
from .grid import TICKS, time

FAILURES: Final = ("the stream broke off", "eof", "overloaded_error", "invalid_request_error")
"""What responses fail with: a broken connection, an early end, an error that may pass and one that may not (W3)."""


@st.composite
def retried_turns(draw: st.DrawFn, max_calls: int = 4) -> Scenario:
    """Make scenarios of two or three attempts at the response, most of which fail (A8).

    Args:
        max_calls: how many calls each attempt has at most.
    """
    tools = {name: TOOLS[name] for name in ("Read", "Look", "Edit", "Send", "Bash", "Grep")}
    stubborn = draw(st.booleans())
    on: set[Feature] = {"failures", "progress", *(("stubborn",) if stubborn else ())}
    attempts = []
    for number in range(draw(st.integers(2, 3))):
        drawn = [draw(drafts(tools, on)) for _ in range(draw(st.integers(0, max_calls)))]
        drawn.sort(key=lambda draft: draft["at"])
        last = drawn[-1]["at"] if drawn else 0
        events = []
        if draw(st.integers(0, 3)):
            end = {"do": "stream_error", "error": draw(st.sampled_from(FAILURES))}
            events.append(Happening(at=time(draw(st.integers(last, last + 10))), **end))
        elif draw(st.booleans()):
            events.append(Happening(at=time(draw(st.integers(0, last + 10))), do="discard"))
        calls = [call_of(f"{'abc'[number]}{n}", draft) for n, draft in enumerate(drawn)]
        after = time(draw(TICKS)) if number else 0
        attempts.append(Attempt(after=after, calls=calls, events=events))
    used = {call.tool for attempt in attempts for call in attempt.calls}
    options = Options(cascade=draw(st.sampled_from(["exclusive", "any"])), **({"grace": "200ms"} if stubborn else {}))
    return Scenario(options=options, tools={name: TOOLS[name] for name in TOOLS if name in used}, attempts=attempts)
