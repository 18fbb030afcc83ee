"""The map is executable: who may import whom, and what an import may cost (DESIGN 2, 8)."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARROWS = {"executor": set(), "scenarios": {"executor"}, "sim": {"executor", "scenarios"}}
"""What each package may import of the others."""
NEVER = {"executor": {"simpy", "pandas", "hypothesis", "matplotlib"}, "scenarios": {"simpy", "pandas", "matplotlib"}}

HEAVY = {"asyncio", "pydantic", "simpy", "yaml", "hypothesis", "pandas", "matplotlib", "tree_sitter"}
"""What no package and no help needs before something of it is used."""


def imported(path: Path) -> set[str]:
    """The absolute imports of a file, by their first name."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def modules_after(statement: str) -> set[str]:
    """The modules a fresh interpreter has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return set(done.stdout.split())


@pytest.mark.parametrize("package", ARROWS)
def test_the_arrows_point_one_way(package: str) -> None:
    others = set(ARROWS) - {package}
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    for path in files:
        crossing = (imported(path) & others) - ARROWS[package]
        assert not crossing, f"{path.relative_to(ROOT)} imports {crossing}"
        assert not imported(path) & NEVER.get(package, set()), path


def test_the_oracle_knows_the_executors_nouns_only() -> None:
    allowed = {"executor.events", "executor.calls.outcome", "executor.calls.life"}
    for path in sorted((ROOT / "sim" / "oracle").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                first = node.module.partition(".")[0]
                assert first not in ("simpy", "scenarios", "sim"), path
                assert first != "executor" or node.module in allowed, (path, node.module)


def test_the_reference_model_shares_no_code_with_the_executor_and_uses_no_event_loop() -> None:
    """T1: two accounts of one turn prove something only if they do not come from the same lines."""
    allowed = {"executor.events", "scenarios", "sim.oracle"}
    for path in sorted((ROOT / "sim" / "reference").rglob("*.py")):
        assert not imported(path) & {"asyncio", "simpy"}, path
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                ours = node.module.partition(".")[0] in ("executor", "scenarios", "sim")
                assert not ours or any(f"{node.module}.".startswith(f"{name}.") for name in allowed), (
                    path,
                    node.module,
                )


def test_every_door_of_the_executor_is_ours_and_pulls_in_neither_simpy_nor_pandas() -> None:
    loaded = modules_after(
        "from executor import *\nimport executor, pathlib\n"
        "assert pathlib.Path(executor.__file__).parents[1] == pathlib.Path.cwd()"
    )
    assert not loaded & {"simpy", "pandas", "hypothesis", "scenarios", "sim"}


@pytest.mark.parametrize("package", ARROWS)
def test_importing_a_package_imports_nothing_that_takes_time(package: str) -> None:
    assert not modules_after(f"import {package}") & HEAVY


@pytest.mark.parametrize(("package", "apart"), [("scenarios", "strategies"), ("sim", "executor_machine")])
def test_only_one_door_needs_hypothesis_and_none_the_command_line(package: str, apart: str) -> None:
    every = f"import {package}\nfor name in set({package}.__all__) - {{{apart!r}}}: getattr({package}, name)"
    assert not modules_after(every) & {"hypothesis", "typer", "pandas", "matplotlib"}


def test_a_function_is_not_hidden_by_the_folder_of_its_name() -> None:
    modules_after("import sim.explore.plan\nfrom sim import explore\nassert callable(explore)")


def test_the_help_of_the_command_line_imports_nothing_but_typer() -> None:
    """Issue 7: heavy imports only when used."""
    words = "import sys; sys.argv = ['interlock', '--help']; from sim.cli import main"
    loaded = modules_after(f"{words}\ntry: main()\nexcept SystemExit: pass")
    assert "typer" in loaded
    assert not loaded & HEAVY


def test_no_module_is_called_utils_and_none_is_long() -> None:
    for package in ARROWS:
        for path in sorted((ROOT / package).rglob("*.py")):
            assert path.stem not in ("utils", "helpers", "common"), path
            assert len(path.read_text(encoding="utf-8").splitlines()) <= 320, path


def test_there_is_no_init_file_under_tests() -> None:
    assert not list((ROOT / "tests").rglob("__init__.py"))
