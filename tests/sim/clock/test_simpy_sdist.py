"""SimPy's documented examples and SimPy's own tests, unchanged, on the exact environment.

Both come with SimPy's source distribution, which pip fetches once into `.cache`; without it these tests are skipped.
"""

import functools
import os
import pathlib
import re
import runpy
import subprocess
import sys
import tarfile
import tempfile

import pytest
import simpy

from sim.clock import Environment

ROOT = pathlib.Path(__file__).parents[3]

# SimPy's tests that cannot pass, all others must.
LEFT_OUT = {
    "test_exception_chaining": "expects lines of SimPy's own files in a traceback",
    "test_run_negative_until": "expects SimPy's wording of an error",
}


@pytest.fixture(scope="module")
def sources():
    """The folder of SimPy's source distribution, of the version that is installed."""
    name = f"simpy-{simpy.__version__}"
    kept = ROOT / ".cache" / name
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
            wanted = [f"simpy=={simpy.__version__}", "--no-binary", "simpy", "--no-deps", "--dest", folder]
            patience = ["--timeout", "10", "--retries", "1"]
            command = [sys.executable, "-m", "pip", "download", "--quiet", *wanted, *patience]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode:
                pytest.skip(f"pip cannot fetch the sources of {name}")
            with tarfile.open(pathlib.Path(folder) / f"{name}.tar.gz") as archive:
                archive.extractall(folder, filter="data")
            try:
                os.rename(pathlib.Path(folder) / name, kept)
            except OSError:
                assert kept.exists()  # another test process was faster
    return kept


def test_simpys_documented_examples_print_what_simpy_prints(sources, monkeypatch, capsys):
    monkeypatch.setattr(simpy, "Environment", functools.partial(Environment, includes_until=False))
    printed, recorded = {}, {}
    for example in sorted((sources / "docs" / "examples" / "code").glob("*.py")):
        runpy.run_path(str(example), run_name="__main__")
        printed[example.stem] = capsys.readouterr().out
        recorded[example.stem] = example.with_suffix(".out").read_text()
    assert printed == recorded
    assert len(printed) >= 7


def test_simpys_own_tests_pass_but_for_those_left_out_for_a_reason(sources):
    """Also the other way round: one that is left out and passes makes the list stale."""
    options = ["-q", "-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={sources}", "--import-mode=importlib"]
    # Real time and measurements of speed are not the exact environment's.
    options += [f"--ignore={sources / 'tests' / name}" for name in ("test_rt.py", "test_benchmark.py")]
    program = (
        "import functools, sys, pytest, simpy\n"
        "from sim.clock import Environment\n"
        "simpy.Environment = functools.partial(Environment, includes_until=False)\n"
        "sys.exit(pytest.main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", program, *options, str(sources / "tests")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert set(re.findall(r"^FAILED \S+::(\w+)", done.stdout, re.MULTILINE)) == set(LEFT_OUT), done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 130
