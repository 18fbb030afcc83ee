"""One call of the reference model.

The rule: queued until its body begins or it has an outcome; settled once it has an outcome. Times in nanoseconds.
"""

from dataclasses import dataclass, field

from scenarios.draws import Draws
from scenarios.model import Call, ToolSpec

from .agenda import Entry


@dataclass(slots=True, eq=False)
class CallState:
    """One call on its way: queued, executing, settled (an outcome), taken."""

    index: int
    spec: Call
    tool: ToolSpec
    takes_ns: int | None
    ends: str
    steps: list[tuple[int, int | None]]
    """What its body does on the way, each with its instant from the body's start: report a number, or refuse."""
    safe: bool
    running: bool = False
    finished: bool = False
    signalled: bool = False
    timed_out: bool = False
    cancelled: bool = False
    outcome: str | None = None
    body: list[Entry] = field(default_factory=list)
    """What is scheduled of its body."""
    patience: Entry | None = None
    """When it is cancelled that ignores its signal, or given up that ignores that too."""

    @property
    def cancellable(self) -> bool:
        """Whether a new message of the user may stop it (A7)."""
        return self.tool.interrupt == "cancel"

    @classmethod
    def of(cls, index: int, spec: Call, tool: ToolSpec, draws: Draws) -> "CallState":
        """Make the call of a block that arrives, with what is drawn of it."""
        takes_ns = None if spec.ends == "hang" else draws.duration_ns(spec.takes, "call", spec.id, "takes")
        fails = tool.fails if spec.fails is None else spec.fails
        says_safe = tool.safe is True if spec.safe is None else spec.safe
        return cls(
            index=index,
            spec=spec,
            tool=tool,
            takes_ns=takes_ns,
            steps=_steps_of(spec, takes_ns),
            ends="error" if spec.ends == "ok" and draws.happens(fails, "call", spec.id, "fails") else spec.ends,
            safe=says_safe and spec.is_valid and not tool.classifier_raises,
        )


def _steps_of(spec: Call, takes_ns: int | None) -> list[tuple[int, int | None]]:
    """Give what a body does on the way, by instant, as far as it comes; mostly nothing."""
    if not spec.progress and spec.refuses_ns is None:
        return []
    steps: list[tuple[int, int | None]] = [(at_ns, n) for n, at_ns in enumerate(spec.progress)]
    if spec.refuses_ns is not None:
        steps.append((spec.refuses_ns, None))
        steps.sort(key=lambda step: step[0])
    return [step for step in steps if takes_ns is None or step[0] <= takes_ns]
