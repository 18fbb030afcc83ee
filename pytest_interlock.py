"""The pytest plugin: scenario files as tests, async tests on the virtual clock, failing scenarios offered as files.

The rule: a suite that uses none of it pays for none of it, so nothing of this project is imported before it is used.
That is why this module lies beside the packages: whatever is inside ``sim`` imports all of ``sim``. No times here.
"""

import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sim import Run, SimLoop

MARKER = "virtual_clock"
_ORIGINAL = pytest.StashKey[Callable[..., Any]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("interlock", "Interlock: scenarios and the virtual clock")
    group.addoption(
        "--interlock-engine",
        action="append",
        metavar="NAME",
        help="what runs the calls: streaming, batch, serial, MODULE:FUNCTION; may be given more than once",
    )
    group.addoption("--interlock-seeds", type=_count, default=1, metavar="N", help="play each scenario by N seeds")
    group.addoption(
        "--interlock-schedules", type=_count, default=1, metavar="N", help="play each scenario in N orders of what ties"
    )
    group.addoption("--interlock-save", metavar="DIR", help="where failing scenarios are written; a temporary folder")
    parser.addini("interlock_engines", "the engines where --interlock-engine names none", type="args", default=[])


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(text)
    return int(text)


def pytest_configure(config: pytest.Config) -> None:
    words = f"{MARKER}(schedules=1): run this async test on the virtual clock, in so many orders of what ties"
    config.addinivalue_line("markers", words)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if not file_path.name.endswith(".scenario.yaml"):
        return None
    from sim.testing.scenario_files import ScenarioFile

    return ScenarioFile.from_parent(parent, path=file_path)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "simulate" in metafunc.fixturenames and (plans := _plans(metafunc.config))[1:]:
        names = [engine if not seed else f"{engine}-{seed}" for engine, seed in plans]
        metafunc.parametrize("simulate", plans, ids=names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def simulate(request: pytest.FixtureRequest) -> "Callable[..., Run]":
    """Play a scenario as :func:`sim.simulate` does, under the chosen engines, and fail where a rule is broken."""
    from sim.testing.columns import columns
    from sim.testing.judged import Player

    engine, seed = getattr(request, "param", _plans(request.config)[0])
    schedules = request.config.getoption("--interlock-schedules")
    return Player(engine, seed, schedules, columns(request.config))


@pytest.fixture
def sim_loop() -> "Generator[SimLoop, None, None]":
    """An event loop on the virtual clock; a test that is marked ``virtual_clock`` runs on it."""
    from sim.testing.virtual_clock import fresh_loop

    with fresh_loop() as loop:
        yield loop


def pytest_itemcollected(item: pytest.Item) -> None:
    if isinstance(item, pytest.Function) and item.get_closest_marker(MARKER) is not None:
        # Other plugins for async tests change the function before it is called.
        item.stash[_ORIGINAL] = _written_by_user(item.obj)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    original = pyfuncitem.stash.get(_ORIGINAL, None)
    if original is None:
        return (yield)
    from sim.testing.virtual_clock import on_virtual_clock

    marker = pyfuncitem.get_closest_marker(MARKER)
    assert marker is not None, "only marked tests are remembered"
    test = on_virtual_clock(original, **marker.kwargs)
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(pyfuncitem.obj, "hypothesis"):
            patch.setattr(pyfuncitem.obj.hypothesis, "inner_test", test)
        else:
            patch.setattr(pyfuncitem, "obj", test)
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # Without these there is no scenario that it could have failed with.
    if report.failed and call.excinfo is not None and {"executor.events", "scenarios.model"} <= sys.modules.keys():
        from sim.testing.offer import offer

        test = getattr(item, "obj", None)
        folder = item.config.getoption("--interlock-save")
        report.sections += offer(item.name, call.excinfo.value, test and _written_by_user(test), folder)
    return report


def _written_by_user(test: Any) -> Callable[..., Any]:
    """Give the test function itself, which Hypothesis wraps."""
    given: Callable[..., Any] = test.hypothesis.inner_test if hasattr(test, "hypothesis") else test
    return given


def _plans(config: pytest.Config) -> list[tuple[str, int]]:
    engines = config.getoption("--interlock-engine") or config.getini("interlock_engines") or ["streaming"]
    return [(engine, seed) for engine in engines for seed in range(config.getoption("--interlock-seeds"))]
