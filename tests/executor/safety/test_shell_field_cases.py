"""Field cases B024, B034, B048 and B124 to B129: each line comes out as its table says."""

from pathlib import Path

import pytest
import yaml

from executor.safety.mcp import mcp_safety
from executor.safety.shell import classify_command, is_answer

INPUTS = Path(__file__).parents[4] / "shared" / "bugs" / "inputs"


def field_case(number: str) -> dict:
    path = INPUTS / f"{number}.yaml"
    if not path.exists():
        pytest.skip(f"the field cases are not here: no {path.name}")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("number", ["B124", "B125", "B127", "B128", "B129"])
def test_a_table_of_shell_commands_comes_out_as_tabled(number: str) -> None:
    """R1 and R2; where a table leaves a line to policy, the looser answer is ours: it only reads."""
    table = field_case(number)["table"]
    assert len(table) > 10
    got = [(row["cmd"], classify_command(row["cmd"]).concurrency_safe) for row in table]
    assert got == [(row["cmd"], row["read_only"]) for row in table]


def test_b024_no_match_is_an_answer_but_a_missing_file_is_none() -> None:
    """R5"""
    (call,) = (call for call in field_case("B024")["calls"] if call["id"] == "g")
    assert not is_answer(call["input"]["command"], call["exit"])
    assert is_answer(call["input"]["command"], 1)


def test_b034_a_change_of_directory_is_never_beside_another_call() -> None:
    """R2"""
    commands = {call["id"]: call["input"]["command"] for call in field_case("B034")["calls"]}
    assert {id_: classify_command(command).concurrency_safe for id_, command in commands.items()} == {
        "a": False,
        "b": True,
    }


def test_b033_git_commands_that_write_are_alone() -> None:
    """R1"""
    commands = {call["id"]: call["input"]["command"] for call in field_case("B033")["calls"]}
    safe = {id_: classify_command(command).concurrency_safe for id_, command in commands.items()}
    assert safe == {"st": True, "add": False, "ci": False, "lg": True}


def test_b048_only_a_plain_true_of_a_trusted_server_counts() -> None:
    """R4"""
    case = field_case("B048")
    got = {name: mcp_safety(tool["annotations"], case["trusted"]) for name, tool in case["tools"].items()}
    assert got == case["expect_safe"]
    assert not any(mcp_safety(tool["annotations"], trusted=False) for tool in case["tools"].values())
