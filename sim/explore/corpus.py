"""A corpus: a folder of scenarios that once failed, each with the plan that showed it, and how far a campaign has come.

The rule: every file is a scenario that ``interlock run`` takes as it is; the plan stands in its first line as a
comment. Times in nanoseconds.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scenarios import ScenarioError, dump, load

from .batch import Found
from .plan import Plan
from .trial import Ended, scenario_trial

_PLAN = "# plan: "


@dataclass(frozen=True)
class Kept:
    """A scenario of the corpus that was run again: its file, and how it ended."""

    path: Path
    ended: Ended


@dataclass(frozen=True)
class Corpus:
    """A folder of failures.

    Args:
        folder: where; it is made when something is kept.
    """

    folder: Path

    def keep(self, found: Found) -> Kept:
        """Write a failure down, and run it once more from its file, so that what it says can be pasted."""
        text = f"{_PLAN}{found.plan}\n{dump(found.scenario)}"
        name = f"{found.kind}-{found.engine}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.yaml"
        path = self.folder / "".join(letter if letter.isalnum() or letter in "-._" else "_" for letter in name)
        self.folder.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return Kept(path, scenario_trial(found.scenario, str(path))(Plan.parse(found.plan)))

    def replay(self) -> Iterator[Kept]:
        """Run all that is kept again, by name; a file without a plan first-come by the streaming engine.

        Raises:
            ScenarioError: a file is no scenario, or its plan is none.
        """
        for path in sorted(self.folder.glob("*.yaml")):
            scenario = load(path)
            first = path.read_text(encoding="utf-8").partition("\n")[0]
            try:
                plan = Plan.parse(first.removeprefix(_PLAN)) if first.startswith(_PLAN) else Plan()
                yield Kept(path, scenario_trial(scenario, str(path))(plan))
            except ValueError as error:
                raise ScenarioError(f"{path}:1: the plan cannot be used: {error}") from None

    @property
    def next_seed(self) -> int:
        """The seed at which a campaign goes on: 0 at first."""
        try:
            seed = json.loads(self._progress.read_text(encoding="utf-8"))["next_seed"]
        except FileNotFoundError:
            return 0
        except (ValueError, KeyError, TypeError):
            seed = None
        if not isinstance(seed, int):
            raise ScenarioError(f"{self._progress}: expected {{'next_seed': 12}}; remove the file to begin anew")
        return seed

    def reached(self, next_seed: int) -> None:
        """Write down how far the campaign has come."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._progress.write_text(json.dumps({"next_seed": next_seed}) + "\n", encoding="utf-8")

    @property
    def _progress(self) -> Path:
        return self.folder / "progress.json"
