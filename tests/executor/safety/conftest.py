"""The everyday commands, and the words of one command."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from executor.safety.grammar import parse
from executor.safety.words import Word

Everyday = dict[str, list[str]]


@pytest.fixture(scope="session")
def everyday() -> Everyday:
    """Commands of agents, by what they really do: `readers` and `writers`."""
    path = Path(__file__).with_name("everyday.yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.fixture
def words_of() -> Callable[[str], tuple[Word, ...]]:
    """Read the words of a line that is one simple command."""

    def read(line: str) -> tuple[Word, ...]:
        (command,) = parse(line).commands
        return command.words

    return read
