"""How fast virtual time passes: SimLoop among its peers and floors, 1,000 tasks x 100 sleeps of varied length.

Every contestant runs in a process of its own, in interleaved rounds; the table gives the median and ratios within this
run. Unit: thousand sleeps per second of processor time. Nothing is asserted about time.
"""

import os
import pathlib
import statistics
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
CONTESTANTS = (
    "SimLoop",
    "bare loop, asyncio's handles",
    "bare loop, lean handles",
    "bare SimPy timeouts",
    "seedloop",
    "async-solipsism",
    "asyncio-time-travel",
    "aiotools VirtualClock",
    "detangle",
    "looptime",
    "trio MockClock",
)
TASKS, STEPS, ROUNDS = 1_000, 100, 3
ABSENT = 3


def measure(name: str, tasks: int = TASKS, steps: int = STEPS, scale: float = 1) -> float | str:
    """Return the seconds one contestant takes, or why it is not there."""
    command = [sys.executable, str(HERE / "clock_contestants.py"), name, str(tasks), str(steps), str(scale)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1])}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == ABSENT:
        return done.stdout.strip()
    assert done.returncode == 0, done.stderr
    return float(done.stdout)


def table(times_s: dict[str, list[float]], absent: dict[str, str]) -> str:
    """Return one line per contestant, the fastest first, those that are absent last."""
    medians_s = {name: statistics.median(times) for name, times in times_s.items()}
    ours_s = medians_s["SimLoop"]
    lines = [
        f"{TASKS:,} tasks x {STEPS} sleeps, Python {sys.version.split()[0]}, median of {ROUNDS} interleaved rounds",
        f"{'':30}{'thousand sleeps/s':>18}{'spread':>9}{'SimLoop is':>13}",
    ]
    for name, median_s in sorted(medians_s.items(), key=lambda item: item[1]):
        spread = (max(times_s[name]) - min(times_s[name])) / median_s
        speed = TASKS * STEPS / median_s / 1000
        lines.append(f"{name:30}{speed:18.1f}{spread:9.0%}{median_s / ours_s:12.2f}x")
    lines += [f"{name:30}  absent: {why} (needs Python 3.12 or the bench extra)" for name, why in absent.items()]
    return "\n".join(lines)


def show(text: str) -> None:
    print(f"\n{text}")
    if path := os.environ.get("BENCH_OUT"):
        with open(path, "a") as out:
            out.write(f"{text}\n\n")


@pytest.mark.bench
def test_simloop_beside_its_peers_and_floors():
    times_s: dict[str, list[float]] = {}
    absent: dict[str, str] = {}
    for _ in range(ROUNDS):
        for name in CONTESTANTS:
            if name in absent:
                continue
            result = measure(name)
            if isinstance(result, str):
                absent[name] = result
            else:
                times_s.setdefault(name, []).append(result)
    show(table(times_s, absent))
    assert set(times_s) | set(absent) == set(CONTESTANTS)


@pytest.mark.bench
def test_turns_without_timers_and_growth_with_tasks_beside_the_bare_loops():
    loops = CONTESTANTS[:3]
    lines = [f"Python {sys.version.split()[0]}, thousand steps/s, best of {ROUNDS} interleaved rounds"]
    lines.append(f"{'':34}" + "".join(f"{name:>30}" for name in loops))
    for what, tasks, steps, scale in (
        ("1,000,000 x sleep(0)", 10, 100_000, 0),
        ("100 tasks x 1,000 sleeps", 100, 1_000, 1),
        ("1,000 tasks x 100 sleeps", 1_000, 100, 1),
        ("10,000 tasks x 10 sleeps", 10_000, 10, 1),
    ):
        rounds = [[measure(name, tasks, steps, scale) for name in loops] for _ in range(ROUNDS)]
        speeds = [tasks * steps / min(map(float, times_s)) / 1000 for times_s in zip(*rounds, strict=True)]
        lines.append(f"{what:34}" + "".join(f"{speed:30.0f}" for speed in speeds))
    show("\n".join(lines))
