"""A scenario played, judged and compared with what it expects, as a test does it.

The rule: whatever is wrong is one error, which says all there is to say and how to see it again. No times here.
"""

from dataclasses import dataclass

from scenarios import Scenario
from sim.explore import Plan, explore
from sim.explore.plan import engine_named
from sim.world import AnyExecutor, Run, as_engine, judge_run
from sim.world.expectations import unmet


class BrokenRun(AssertionError):
    """A run that breaks a rule, or is not as its scenario expects; with the scenario, and the plan if one is known."""

    def __init__(self, told: str, scenario: Scenario, plan: Plan) -> None:
        super().__init__(told)
        self.scenario = scenario
        self.plan = plan


@dataclass(frozen=True)
class Player:
    """Plays scenarios by one engine and seed, and judges each run.

    Args:
        engine: by name.
        seed: chooses what a scenario leaves open.
        schedules: in how many orders of what ties each is played.
        width: cells in a line of the drawing of a run that is not as it should be.
    """

    engine: str
    seed: int = 0
    schedules: int = 1
    width: int = 100

    def __call__(
        self, scenario: Scenario, engine: str | AnyExecutor | None = None, seed: int | None = None, source: str = ""
    ) -> Run:
        """Play a scenario and give its run, first come, first served.

        Args:
            scenario: what to play.
            engine: by another engine than the chosen one.
            seed: by another seed.
            source: the scenario's file.

        Raises:
            BrokenRun: a rule is broken, or something is not as expected, in this order or another.
        """
        __tracebackhide__ = True  # pytest shows the line of the test, not ours
        plan = Plan(self.engine if engine is None else engine, self.seed if seed is None else seed)
        run = plan.play(scenario, source=source)
        broken = judge_run(run).violations
        told = [str(violation) for violation in broken]
        told += [f"not as expected: {failure}" for failure in unmet(run)]
        if told:
            again = [f"again: {run.header['reproduce']}"] if source else []
            raise BrokenRun("\n".join([run.timeline(width=self.width, broken=broken), *told, *again]), scenario, plan)
        if self.schedules > 1:
            found = explore(scenario, plan.engine, schedules=self.schedules, seed=plan.seed, source=source)
            if found.failing:
                told = [failure.told for failure in found.violations]
                raise BrokenRun("\n".join([*told, str(found)]), scenario, found.violations[0].plan)
        return run


def lacking(engine: str, scenario: Scenario) -> str:
    """Say what an engine would have to know of to be played in a scenario; nothing if it knows of all of it.

    Raises:
        ValueError: there is no such engine.
    """
    found = engine_named(engine)
    return "" if isinstance(found, str) else ", ".join(as_engine(found).lacks(scenario))
