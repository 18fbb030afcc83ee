"""Scenario files as tests: ``NAME.scenario.yaml``, once for each engine and seed.

The rule: the engines are those that are chosen, or else those of which the file's ``expect`` speaks. No times here.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from scenarios import Scenario, ScenarioError, load

from .columns import columns
from .judged import BrokenRun, Player, lacking


class ScenarioFile(pytest.File):
    """A file with one scenario."""

    def collect(self) -> Iterator["ScenarioItem"]:
        """Give a test for each engine and seed; a file that is no scenario is one error line."""
        chosen = self.config.getoption("--interlock-engine") or self.config.getini("interlock_engines")
        schedules = self.config.getoption("--interlock-schedules")
        try:
            scenario = load(self.path)
        except ScenarioError as error:
            raise self.CollectError(str(error)) from None
        for engine in chosen or scenario.expect.engines:
            try:
                lacks = lacking(engine, scenario)
            except ValueError as error:
                raise self.CollectError(f"--interlock-engine: {error}") from None
            for seed in range(self.config.getoption("--interlock-seeds")):
                item: ScenarioItem = ScenarioItem.from_parent(
                    self,
                    name=engine if not seed else f"{engine}-{seed}",
                    scenario=scenario,
                    player=Player(engine, seed, schedules, columns(self.config)),
                )
                if lacks:
                    item.add_marker(pytest.mark.skip(f"{engine} does not declare {lacks}"))
                yield item


class ScenarioItem(pytest.Item):
    """One scenario under one engine and seed."""

    def __init__(self, *, scenario: Scenario, player: Player, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scenario = scenario
        self.player = player

    def runtest(self) -> None:
        """Play it and judge it."""
        self.player(self.scenario, source=str(self.path))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong with the run, not where this module raised it."""
        return str(excinfo.value) if isinstance(excinfo.value, BrokenRun) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int, str]:
        """Name the scenario in reports."""
        return self.path, 0, f"{self.scenario.name or self.path.name} [{self.name}]"
