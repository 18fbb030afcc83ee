"""A plan: all that makes one run of a scenario what it is, besides the scenario.

The rule: a plan can be written as words of a command line, and those words give the same run again. Unit: ns.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, cast, get_args

from executor import Engine
from scenarios import Expect, Happening, Scenario
from scenarios.durations import format_duration, parse_duration
from scenarios.words import hint
from sim.clock import Choices, SeededChoices, Waits, format_choices, parse_choices
from sim.world import AnyExecutor, Run, as_engine, simulate

from .jitter import jittered

Act = Literal["stop", "submit"]
"""What a user can do to cut a turn short."""


@dataclass(frozen=True, order=True)
class Cut:
    """Where a run is cut short.

    Args:
        how: ``cancel`` the consumer's task at a point at which it waits; at the moment it would ``wake`` there; a
            user's ``stop``; or their ``submit``, a forced one, as one that has to wait cuts nothing short (A7).
        at: the number of the point, from 1; of a user's act its instant, in nanoseconds from the turn's start.
    """

    how: Literal["cancel", "wake", Act]
    at: int

    @property
    def is_act(self) -> bool:
        """Whether it is the user's, at an instant, and not at a point of the consumer."""
        return self.how in get_args(Act)

    @classmethod
    def parse(cls, text: str) -> Cut:
        """Read what ``str`` writes; :class:`ValueError` for anything else.

        >>> str(Cut.parse("cancel@3")), Cut.parse("stop@1.2s")
        ('cancel@3', Cut(how='stop', at=1200000000))
        """
        how, _, at = text.partition("@")
        match how:
            case "stop" | "submit":
                return cls(how, parse_duration(at))
            case "cancel" | "wake" if at.isascii() and at.isdecimal() and int(at) > 0:
                return cls(how, int(at))
        raise ValueError(f"expected cancel@POINT, wake@POINT (from 1 on), stop@INSTANT or submit@INSTANT, got {text!r}")

    def __str__(self) -> str:
        return f"{self.how}@{format_duration(self.at) if self.is_act else self.at}"


@dataclass(frozen=True)
class Plan:
    """How a scenario is to be run.

    Args:
        engine: by what, as for :func:`sim.simulate`, or ``module:name`` of an executor of your own.
        seed: chooses the durations that the scenario leaves open, and the jitter.
        jitter_ns: how far fixed durations and instants may be moved.
        choices: which of what ties at one instant is taken first, as deviations from first-come.
        order_seed: draws all these choices instead.
        cuts: where the run is cut short.
    """

    engine: str | AnyExecutor = "streaming"
    seed: int = 0
    jitter_ns: int = 0
    choices: Mapping[int, int] = field(default_factory=dict)
    order_seed: int | None = None
    cuts: tuple[Cut, ...] = ()

    def __str__(self) -> str:
        """Write the plan as words for ``interlock run``."""
        words = ["--engine", self.engine_name, "--seed", str(self.seed)]
        if self.jitter_ns:
            words += ["--jitter", format_duration(self.jitter_ns)]
        if self.choices:
            words += ["--choices", format_choices(self.choices)]
        for cut in self.cuts:
            words += ["--cut", str(cut)]
        return shlex.join(words)

    @property
    def engine_name(self) -> str:
        """The engine's name; of a function that was handed over, where it would be found."""
        if isinstance(self.engine, str):
            return self.engine
        return f"{self.engine.__module__}:{getattr(self.engine, '__qualname__', type(self.engine).__name__)}"

    @property
    def acts(self) -> tuple[Act, ...]:
        """What a user can do in its runs: everything, unless an executor of your own cannot be told of it."""
        engine = engine_named(self.engine) if isinstance(self.engine, str) else self.engine
        told = get_args(Act) if isinstance(engine, str) else as_engine(engine).supports
        return tuple(act for act in get_args(Act) if act in told)

    @classmethod
    def parse(cls, words: str) -> Plan:
        """Read what ``str`` writes; :class:`ValueError` for anything else.

        >>> Plan.parse("--engine batch --seed 3 --choices 1:2").choices
        {1: 2}
        """
        plan = cls()
        parts = iter(shlex.split(words))
        for option in parts:
            value = next(parts, "")
            match option:
                case "--engine":
                    engine_named(value)
                    plan = replace(plan, engine=value)
                case "--seed":
                    plan = replace(plan, seed=int(value))
                case "--jitter":
                    plan = replace(plan, jitter_ns=parse_duration(value))
                case "--choices":
                    plan = replace(plan, choices=parse_choices(value))
                case "--cut":
                    plan = replace(plan, cuts=(*plan.cuts, Cut.parse(value)))
                case _:
                    raise ValueError(f"expected the words of a plan, got {option!r}")
        return plan

    def start_choices(self) -> Choices:
        """Give the choices of a new run."""
        return Choices(self.choices) if self.order_seed is None else SeededChoices(self.order_seed)

    def start_waits(self) -> Waits:
        """Give the points of a new run at which the consumer is cancelled."""
        cancel_at, wake_at = ([cut.at for cut in self.cuts if cut.how == how] for how in ("cancel", "wake"))
        return Waits(cancel_at, wake_at)

    def made_plain(self, choices: Choices) -> Plan:
        """Give the plan with what was chosen in a run instead of the seed that drew it."""
        return replace(self, choices=dict(choices.deviations), order_seed=None)

    def apply(self, scenario: Scenario) -> Scenario:
        """Give the scenario that the plan makes of one: moved, and with what the user does in its cuts."""
        moved = jittered(scenario, self.seed, self.jitter_ns) if self.jitter_ns else scenario
        acts = [Happening(at=f"{cut.at}ns", do=cut.how, force=cut.how == "submit") for cut in self.cuts if cut.is_act]
        if not acts:
            return moved
        events = sorted([*moved.events, *acts], key=lambda event: event.at_ns)
        return moved.model_copy(update={"events": tuple(events), "expect": Expect()})

    def play(
        self, scenario: Scenario, *, source: str = "", choices: Choices | None = None, waits: Waits | None = None
    ) -> Run:
        """Run a scenario by this plan; what it chose and where it waited can be read in ``choices`` and ``waits``."""
        chosen = self.start_choices() if choices is None else choices
        engine = engine_named(self.engine) if isinstance(self.engine, str) else self.engine
        run = simulate(self.apply(scenario), engine, self.seed, choices=chosen, waits=waits or self.start_waits())
        if not source:
            return run
        again = f"interlock run {shlex.quote(source)} {self.made_plain(chosen)}"
        return replace(run, header={**run.header, "reproduce": again})


def engine_named(name: str) -> Engine | AnyExecutor:
    """Find an engine by its name, or a function of yours by ``module:function``; :class:`ValueError` if there is none.

    >>> engine_named("batch")
    'batch'
    """
    if name in get_args(Engine):
        return cast(Engine, name)
    module, colon, path = name.partition(":")
    try:
        found: Any = import_module(module) if colon else None
        for step in path.split("."):
            found = getattr(found, step)
    except (Exception, SystemExit) as error:
        # The module is anybody's, and may end in whatever way while it is imported.
        told = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        known = f"{', '.join(get_args(Engine))} or MODULE:FUNCTION"
        why = f": {told}" if colon else hint(name, get_args(Engine))
        raise ValueError(f"expected {known}, got {name!r}{why}") from None
    try:
        return as_engine(found)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from None
