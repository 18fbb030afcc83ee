"""What the tables of commands are made of.

The rule: a command only reads if each of its options is known not to write or run anything, and none of its operands is
an output. What a table does not name is not understood (R2).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, Protocol

from ..words import Word

Words = Sequence[Word]
Kind = Literal["flag", "value", "optional", "refused"]
ANY: Final = None


def names(text: str) -> frozenset[str]:
    """Read a list of names, separated by blanks."""
    return frozenset(text.split())


class NotReadOnly(Exception):
    """A command does more than read, or may; the message continues a sentence that begins with the command (R2)."""


class Rule(Protocol):
    """What is known of a command."""

    @property
    def answers(self) -> bool:
        """Whether its exit status 1 is an answer and no error (R5)."""

    def check(self, words: Words) -> Sequence[Words]:
        """Look at a whole command; return the commands that it runs, which must be looked at in turn.

        Raises:
            NotReadOnly: it does more than read, or may.
        """


@dataclass(frozen=True, slots=True)
class Arguments:
    """A command's words, sorted.

    Args:
        options: each option by its full name, with its value.
        operands: the other words.
        starts_with_operand: whether an operand is the first word.
    """

    options: tuple[tuple[str, Word | None], ...]
    operands: tuple[Word, ...]
    starts_with_operand: bool = False

    def has(self, *names: str) -> bool:
        """Whether one of these options is there."""
        return any(name in names for name, _ in self.options)

    def values(self, *names: str) -> list[Word]:
        """Every value that these options were given."""
        return [value for name, value in self.options if name in names and value is not None]


@dataclass(frozen=True)
class Command:
    """The table of one command, or of several that share their options. Option names are separated by blanks.

    Args:
        names: what it is called.
        flags: options without a value.
        values: options with a value: the rest of the word, or the next word.
        optional: options whose value, if any, is in the same word; also the place of options in doubt.
        refused: options that write or run something, with what they do.
        operands: how many operands it may have; None is any number.
        surplus: what one operand more would do.
        any_words: no option of any version can do harm, so words that only the shell knows are welcome.
        any_option: more than that: every option is welcome. For programs that cannot but print.
        numbers: a number is an option, as in ``head -5``.
        permutes: options are options behind operands too, as GNU reads them.
        abbreviates: long options may be cut short, as GNU reads them.
        answers: exit status 1 is an answer (R5).
        also: a further check of the sorted arguments.
    """

    names: str
    flags: str = ""
    values: str = ""
    optional: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)
    operands: int | None = ANY
    surplus: str = "has an operand too many"
    any_words: bool = False
    any_option: bool = False
    numbers: bool = False
    permutes: bool = True
    abbreviates: bool = True
    answers: bool = False
    also: Callable[[Arguments], None] | None = None

    @cached_property
    def kinds(self) -> Mapping[str, Kind]:
        """Every option that is known, by its kind."""
        kinds: dict[str, Kind] = {}
        kinds |= dict.fromkeys(self.flags.split(), "flag")
        kinds |= dict.fromkeys(self.values.split(), "value")
        kinds |= dict.fromkeys(self.optional.split(), "optional")
        kinds |= dict.fromkeys(" ".join(self.refused).split(), "refused")
        return kinds

    def check(self, words: Words) -> Sequence[Words]:
        """Sort the words and hold them against the table."""
        arguments = self.sort(words[1:])
        if self.operands is not None and (
            len(arguments.operands) > self.operands or any(word.several for word in arguments.operands)
        ):
            raise NotReadOnly(self.surplus)
        if self.also:
            self.also(arguments)
        return ()

    def sort(self, words: Words) -> Arguments:
        """Tell options from operands.

        Raises:
            NotReadOnly: an option is refused or not known, or a word may turn out to be one.
        """
        if self.any_option:
            return Arguments((), tuple(words))
        return _Sorting(self, words).arguments()

    def why_refused(self, option: str) -> str:
        """Say what a refused option does."""
        return next(f"{why} ({option})" for names, why in self.refused.items() if option in names.split())


class _Sorting:
    """One command's words, from left to right."""

    def __init__(self, table: Command, words: Words) -> None:
        self._table = table
        self._words = words
        self._at = 0
        self._options: list[tuple[str, Word | None]] = []
        self._operands: list[Word] = []

    def arguments(self) -> Arguments:
        while self._at < len(self._words):
            word = self._words[self._at]
            self._at += 1
            if word.text == "--":
                self._take_the_rest()
            elif word.is_operand_like or word.text == "":
                self._operands.append(word)
                if not self._table.permutes:
                    self._take_the_rest()
            else:
                self._option(word)
        starts = bool(self._operands) and self._operands[0] is self._words[0]
        return Arguments(tuple(self._options), tuple(self._operands), starts)

    def _take_the_rest(self) -> None:
        self._operands += self._words[self._at :]
        self._at = len(self._words)

    def _option(self, word: Word) -> None:
        if self._operands and self._table.operands is not None:
            raise NotReadOnly(f"has the option {word.source} behind an operand, where some systems see an operand")
        if word.splits and not self._table.any_words:
            raise NotReadOnly(f"has words that only the shell knows ({word.source}); they may be options")
        if word.prefix.startswith("--"):
            self._long(word)
        elif word.prefix.startswith("-"):
            self._short(word)
        else:
            self._unknown(word)

    def _unknown(self, word: Word) -> None:
        if not self._table.any_words:
            raise NotReadOnly(f"has a word that only the shell knows ({word.source}); it may be an option")
        self._operands.append(word)

    def _long(self, word: Word) -> None:
        written, equals, rest = word.prefix.partition("=")
        if word.text is None and not equals:
            self._unknown(word)
            return
        name = self._full_name(written)
        kind = self._table.kinds[name]
        if kind == "refused":
            raise NotReadOnly(self._table.why_refused(name))
        if kind == "flag" and equals:
            raise NotReadOnly(f"has an option that is not understood ({word.source})")
        if equals:
            value: Word | None = Word(word.source, None if word.text is None else rest, rest, word.several, word.splits)
        else:
            value = self._next_value(name) if kind == "value" else None
        self._options.append((name, value))

    def _full_name(self, written: str) -> str:
        kinds = self._table.kinds
        if written in kinds:
            return written
        begun = [name for name in kinds if self._table.abbreviates and name.startswith(written) and written != "--"]
        refused = [name for name in begun if kinds[name] == "refused"]
        if refused:
            raise NotReadOnly(f"{self._table.why_refused(refused[0])}, which {written} may be short for")
        if len(begun) != 1:
            raise NotReadOnly(f"has an option that is not known to be harmless ({written})")
        return begun[0]

    def _short(self, word: Word) -> None:
        if self._table.numbers and word.text is not None and re.fullmatch(r"-\d+", word.text):
            self._options.append((word.text, None))
            return
        letters = word.prefix[1:]
        for at, letter in enumerate(letters):
            name, rest = f"-{letter}", letters[at + 1 :]
            kind = self._table.kinds.get(name)
            if kind is None:
                raise NotReadOnly(f"has an option that is not known to be harmless ({name})")
            if kind == "refused":
                raise NotReadOnly(self._table.why_refused(name))
            if kind == "flag":
                self._options.append((name, None))
                continue
            value: Word | None = None
            if rest or word.text is None:
                value = Word(word.source, None if word.text is None else rest, rest, word.several, word.splits)
            elif kind == "value":
                value = self._next_value(name)
            self._options.append((name, value))
            return
        if word.text is None:
            self._unknown(word)

    def _next_value(self, name: str) -> Word:
        if self._at == len(self._words):
            raise NotReadOnly(f"has an option without its value ({name})")
        value = self._words[self._at]
        self._at += 1
        # Where a program reads this option otherwise than the table does, such a word would be an option.
        if not self._table.any_words and (value.several or re.match(r"-[^\d]", value.prefix)):
            raise NotReadOnly(f"has an unclear value for {name} ({value.source})")
        return value


@dataclass(frozen=True, slots=True)
class Refused:
    """Commands that never only read, with what they do."""

    names: str
    why: str
    answers: bool = False

    def check(self, words: Words) -> Sequence[Words]:
        """Refuse it."""
        raise NotReadOnly(self.why)


def table(*rules: Command | Refused) -> dict[str, Rule]:
    """Look rules up by each of their names."""
    return {name: rule for rule in rules for name in rule.names.split()}
