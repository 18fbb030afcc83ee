"""A Hypothesis state machine that drives an executor step by step, whatever executor it is.

The rule: after every step the log so far is judged by every rule about what has happened, at the end by all. Times are
drawn as ticks of 100 ms. Needs the ``testing`` extra.
"""

from typing import Any, Final

try:
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
except ImportError as error:
    raise ImportError("sim.executor_machine needs Hypothesis: pip install 'interlock[testing]'") from error

from executor import Engine
from scenarios import Call, Consumer, Happening, Scenario, ToolSpec
from scenarios.strategies import TICKS
from sim.oracle import RULES, judge
from sim.oracle.rule import Moment
from sim.show.timeline import timeline
from sim.world import ABILITIES, AnyExecutor, as_engine
from sim.world.by_hand import TurnByHand

TICK_NS: Final = 100_000_000
TOOLS: Final = {
    "Read": ToolSpec(),
    "Look": ToolSpec(interrupt="cancel"),
    "Edit": ToolSpec(safe=False),
    "Bash": ToolSpec(safe=False, cascades=True),
    "Gone": ToolSpec(available=False),
}
TOOL: Final = st.sampled_from(list(TOOLS))
ON_THE_WAY: Final = [one.id for one in RULES if Moment.LOG_OVER not in one.asked]
"""The rules that can be broken before the turn is over: what is broken then stays broken."""


def executor_machine(engine: Engine | AnyExecutor = "streaming") -> type[RuleBasedStateMachine]:
    """Make a state machine whose steps are what can happen to an executor.

    Its steps: a block arrives, the consumer takes what there is, time passes, the user stops or submits, the response
    is discarded, breaks off or ends, the consumer's task is cancelled; calls end well, fail, raise, cancel themselves,
    or refuse for the user. Nothing but a block comes first. An executor of your own is told only of what it declares
    (:data:`sim.world.ABILITIES`).

    Args:
        engine: as for :func:`sim.simulate`.

    Returns:
        A class for ``run_state_machine_as_test``, or whose ``TestCase`` pytest collects.

    >>> from hypothesis import settings
    >>> from hypothesis.stateful import run_state_machine_as_test
    >>> few = settings(max_examples=5, stateful_step_count=10, deadline=None, database=None)
    >>> run_state_machine_as_test(executor_machine("batch"), settings=few)
    """
    supports = frozenset(ABILITIES) if isinstance(engine, str) else as_engine(engine).supports

    class ExecutorMachine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            # Whoever takes results only when sent for them is not prompt, and the log must not say so.
            self.turn = TurnByHand(Scenario(tools=TOOLS, consumer=Consumer(takes="1ns")), engine)
            self.count = 0
            self.is_broken = False

        @precondition(lambda self: self.turn.is_read)
        @rule(tool=TOOL, takes=TICKS)
        def add(self, tool: str, takes: int) -> None:
            """Let a block arrive."""
            self.arrive(tool, takes)

        @precondition(lambda self: self.turn.is_read)
        @rule(tool=TOOL, takes=TICKS, ends=st.sampled_from(["error", "raise", "cancelled"]))
        def add_failing(self, tool: str, takes: int, ends: str) -> None:
            """Let a block arrive whose call fails."""
            self.arrive(tool, takes, ends=ends)

        @precondition(lambda self: "stop" in supports and self.turn.is_read)
        @rule(tool=TOOL, takes=TICKS, refuses=TICKS)
        def add_refusing(self, tool: str, takes: int, refuses: int) -> None:
            """Let a block arrive whose call asks for the turn's end on its way."""
            self.arrive(tool, takes, refuses=min(refuses, takes) / 10)

        def arrive(self, tool: str, takes: int, **words: Any) -> None:
            self.turn.add(Call(id=f"c{self.count}", tool=tool, takes=takes / 10, **words))
            self.count += 1

        @precondition(lambda self: self.count and not self.turn.is_over)
        @rule()
        def poll(self) -> None:
            """Let the consumer take what there is."""
            self.turn.poll()

        @precondition(lambda self: self.count)
        @rule(ticks=st.integers(1, 10))
        def wait(self, ticks: int) -> None:
            """Let time pass."""
            self.turn.pass_time(ticks * TICK_NS)

        @precondition(lambda self: "stop" in supports and self.count and not self.turn.is_over)
        @rule()
        def stop(self) -> None:
            """Let the user interrupt."""
            self.turn.tell(Happening(at=0, do="stop"))

        @precondition(lambda self: "submit" in supports and self.count and not self.turn.is_over)
        @rule(force=st.booleans())
        def submit(self, force: bool) -> None:
            """Let the user send a message."""
            self.turn.tell(Happening(at=0, do="submit", force=force))

        @precondition(lambda self: "discard" in supports and self.count and not self.turn.is_over)
        @rule()
        def discard(self) -> None:
            """Let the response be given up."""
            self.turn.tell(Happening(at=0, do="discard"))

        @precondition(lambda self: "discard" in supports and self.count and self.turn.is_read)
        @rule()
        def fail(self) -> None:
            """Let the response break off."""
            self.turn.end_response("overloaded")

        @precondition(lambda self: self.count and self.turn.is_read)
        @rule()
        def end(self) -> None:
            """Let the response end."""
            self.turn.end_response()

        @precondition(lambda self: "consumer" in supports and self.count and not self.turn.is_over)
        @rule()
        def close(self) -> None:
            """Let the task that takes the results be cancelled."""
            self.turn.tell(Happening(at=0, do="cancel"))

        @invariant()
        def holds_so_far(self) -> None:
            """Judge what has happened."""
            self.judge(ON_THE_WAY)

        def judge(self, rules: list[str] | None) -> None:
            header, events = self.turn.header, self.turn.events
            broken = judge(header, events, rules=rules).violations
            self.is_broken = bool(broken)
            assert not broken, "\n".join([timeline(header, events, broken=broken), *map(str, broken)])

        def teardown(self) -> None:
            """Let the turn come to its end, and judge all of it."""
            try:
                if not self.is_broken:
                    self.turn.finish()
                    self.judge(None)
            finally:
                self.turn.close()

    ExecutorMachine.__qualname__ = ExecutorMachine.__name__
    return ExecutorMachine
