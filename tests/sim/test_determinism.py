"""D1: the same scenario and seed give the same bytes, in every process and on every Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from scenarios import Call, Scenario, load, strategies
from sim import simulate
from sim.clock import SeededChoices

ROOT = Path(__file__).parents[2]
DIGESTS = """
import json, sys
from pathlib import Path
from scenarios import Scenario, load
from sim import simulate
from sim.clock import SeededChoices
junk = [object() for _ in range({moved})]
for path in sorted(Path("scenarios/library").rglob("*.yaml")):
    scenario = load(path)
    for engine in ("streaming", "batch", "serial"):
        print(path.stem, engine, simulate(scenario, engine, seed=7).digest)
for n, line in enumerate(sys.stdin):
    scenario = Scenario.model_validate(json.loads(line))
    engine = ("streaming", "batch", "serial")[n % 3]
    choices = SeededChoices(n) if n % 2 else None
    print(n, engine, simulate(scenario, engine, seed=n, choices=choices).digest)
"""
RANDOM_TURNS = max(300, settings().max_examples)
NEEDED = ("simpy", "pydantic", "lazy-loader", "PyYAML", "typing-extensions", "tree-sitter", "tree-sitter-bash")


def digests(python: str | Path, hash_seed: str, random_turns: str, moved: int = 0) -> str:
    """The digest of every library scenario and random turn, by another process whose heap lies elsewhere."""
    env = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    code = DIGESTS.format(moved=moved)
    done = subprocess.run(
        [python, "-c", code], input=random_turns, capture_output=True, text=True, cwd=ROOT, env=env, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def random_turns() -> str:
    """Random turns, a JSON line each; the Pythons that play them need no Hypothesis."""
    lines: list[str] = []

    @seed(1)
    @settings(
        max_examples=RANDOM_TURNS, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(strategies.turns())
    def collect(turn: Scenario) -> None:
        lines.append(turn.model_dump_json(by_alias=True, exclude_defaults=True))

    collect()
    return "\n".join(lines)


@pytest.fixture(scope="module")
def ours(random_turns: str) -> str:
    return digests(sys.executable, "0", random_turns)


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_every_supported_python_gives_the_same_digests_under_every_hash_seed(
    ours: str, random_turns: str, version: str
) -> None:
    """D1: two processes of each Python, their heaps moved, each with a hash seed of its own."""
    assert ours.count("\n") >= 3 * len(list((ROOT / "scenarios" / "library").rglob("*.yaml"))) + RANDOM_TURNS
    python = python_with_what_is_needed(version)
    assert digests(python, "1", random_turns, moved=100_003) == ours
    assert digests(python, "4242", random_turns, moved=7) == ours


def test_random_turns_in_another_order_give_other_digests() -> None:
    scenario = Scenario(calls=[Call(id=f"c{n}", takes="1s") for n in range(6)])
    assert len({simulate(scenario, choices=SeededChoices(n)).digest for n in range(50)}) > 40


def test_another_seed_gives_another_digest_where_durations_are_open() -> None:
    scenario = Scenario(calls=[Call(id="a", takes={"lognormal": {"median": "50ms", "p95": "400ms"}})])
    assert simulate(scenario, seed=1).digest == simulate(scenario, seed=1).digest
    assert simulate(scenario, seed=1).digest != simulate(scenario, seed=2).digest


def test_one_tool_more_does_not_shift_the_draws_of_the_others() -> None:
    takes = {"lognormal": {"median": "50ms", "p95": "400ms"}}
    alone = simulate(Scenario(calls=[Call(id="a", takes=takes)]))
    beside = simulate(Scenario(calls=[Call(id="z", takes=takes), Call(id="a", takes=takes)]))
    left = {event.call: event.t_ns for event in beside.events if event.kind == "left"}
    assert left["a"] == next(event.t_ns for event in alone.events if event.kind == "left")
    assert left["z"] != left["a"]


def test_where_the_file_lies_does_not_change_the_digest() -> None:
    scenario = Scenario(calls=[Call(id="a", takes="1s"), Call(id="b", ends="hang")])
    there, here = simulate(scenario, source="/somewhere/else/turn.yaml"), simulate(scenario)
    assert there.digest == here.digest
    assert there.lines[1:] == here.lines[1:]
    assert here.events[-1].detail == {"why": "deadlock", "waiting": ["the body of b runs"]}


def test_text_that_utf8_has_no_bytes_for_has_a_digest_too() -> None:
    """B103: what a tool prints may be cut inside a character."""
    first, again, other = (simulate(Scenario(calls=[Call(id="a", output=f"x{cut}")])) for cut in "\ud83d\ud83d\ud83e")
    assert first.digest == again.digest
    assert first.digest != other.digest


def test_a_run_inside_a_running_loop_is_the_same_run() -> None:
    """simulate() also works in notebooks and asynchronous tests."""
    import asyncio

    scenario = load(ROOT / "scenarios" / "library" / "three_calls_in_a_stream.yaml")

    async def inside() -> str:
        digest = simulate(scenario).digest
        await asyncio.sleep(0)
        return digest

    assert asyncio.run(inside()) == simulate(scenario).digest


def python_with_what_is_needed(version: str) -> Path:
    """Another interpreter in an environment of its own, made once and kept in ``.cache``; skips where there is none."""
    place = ROOT / ".cache" / f"python-{version}"
    python = place / "bin" / "python"
    ready = place / "ready"
    if not ready.exists() or ready.read_text() != " ".join(NEEDED):
        found = interpreter(version)
        if found is None:
            pytest.skip(f"Python {version} is not on this machine")
        subprocess.run([found, "-m", "venv", "--clear", place], check=True, capture_output=True)
        install = [python, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", *NEEDED]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"what is needed cannot be installed for Python {version}: {done.stderr.strip()[-200:]}")
        ready.write_text(" ".join(NEEDED))
    return python


def interpreter(version: str) -> str | None:
    """Find an interpreter that runs: on the path, or installed beside the one that runs this test."""
    name = f"python{version}"
    beside = sorted(Path(sys.base_prefix).parent.glob(f"{version}*/bin/{name}"))
    for candidate in filter(None, [shutil.which(name), *map(str, beside)]):
        if subprocess.run([candidate, "-c", ""], capture_output=True, check=False).returncode == 0:
            return candidate
    return None
