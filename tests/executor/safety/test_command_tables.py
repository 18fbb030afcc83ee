"""The tables of commands: how options are read, and that the tables agree with themselves (R2)."""

import pytest

from executor.safety.commands import RULES
from executor.safety.commands.git import SUB_COMMANDS
from executor.safety.commands.model import Command, NotReadOnly
from executor.safety.words import Word

TABLE = Command(
    "toy",
    flags="-a --all -b --back",
    values="-k --key",
    optional="-c --colour",
    refused={"-o --output": "writes its result to a file"},
    numbers=True,
)


def sort(line: str, table: Command = TABLE) -> tuple[list[tuple[str, str | None]], list[str | None]]:
    """The options with the text of their values, and the operands, of a line without quotes."""
    arguments = table.sort([Word.literal(text) for text in line.split()])
    return [(name, value and value.text) for name, value in arguments.options], [w.text for w in arguments.operands]


@pytest.mark.parametrize(
    ("line", "options", "operands"),
    [
        ("-ab x", [("-a", None), ("-b", None)], ["x"]),
        ("x -a y", [("-a", None)], ["x", "y"]),
        ("-ak1 x", [("-a", None), ("-k", "1")], ["x"]),
        ("-k 1 x", [("-k", "1")], ["x"]),
        ("-k -1 x", [("-k", "-1")], ["x"]),
        ("-c x", [("-c", None)], ["x"]),
        ("-cred x", [("-c", "red")], ["x"]),
        ("--key=1 --key 2", [("--key", "1"), ("--key", "2")], []),
        ("--ke 2 --a", [("--key", "2"), ("--all", None)], []),
        ("--colour x --colour=red", [("--colour", None), ("--colour", "red")], ["x"]),
        ("-- -o x", [], ["-o", "x"]),
        ("-12 - x", [("-12", None)], ["-", "x"]),
    ],
)
def test_options_are_read_as_gnu_reads_them(line, options, operands) -> None:
    assert sort(line) == (options, operands)


@pytest.mark.parametrize(
    "line",
    [
        "-o x", "-ao x", "-abox", "x -o", "--output=x", "--output x", "--out=x", "--o",  # it writes
        "-z", "-az", "--zero", "--all=1", "-k", "--key", "-k -o", "--nothing",  # not known, not clear
    ],
)  # fmt: skip
def test_an_option_that_writes_or_is_not_known_is_refused(line: str) -> None:
    with pytest.raises(NotReadOnly):
        sort(line)


def test_an_option_cut_short_is_told_by_its_whole_name() -> None:
    with pytest.raises(NotReadOnly, match=r"writes its result to a file \(--output\), which --out may be short for"):
        sort("--out=x")


def test_where_options_may_not_be_cut_short_only_the_whole_name_counts() -> None:
    whole = Command("toy", flags="--pretty", abbreviates=False)
    assert sort("--pretty", whole) == ([("--pretty", None)], [])
    with pytest.raises(NotReadOnly):
        sort("--pre", whole)


def test_behind_an_operand_that_counts_no_option_is_taken() -> None:
    """GNU reads ``uniq a -c`` as an option, the BSDs as the name of the output."""
    with pytest.raises(NotReadOnly, match="behind an operand"):
        sort("a -b", Command("toy", flags="-b", operands=1))


@pytest.mark.parametrize(
    ("word", "any_words_only"),
    [
        (Word("$x", None, "", several=True, splits=True), True),
        (Word('"$x"', None, ""), True),
        (Word("*", None, "", several=True), True),
        (Word("a$x", None, "a", several=True, splits=True), True),
        (Word("-a$x", None, "-a", several=True, splits=True), True),
        (Word("-k$x", None, "-k", several=True, splits=True), True),
        (Word("--key=$x", None, "--key=", several=True, splits=True), True),
        (Word("a*", None, "a", several=True), False),
        (Word('"a$x"', None, "a"), False),
        (Word('"--key=$x"', None, "--key="), False),
        (Word('"-k$x"', None, "-k"), False),
    ],
)
def test_a_word_that_may_become_an_option_needs_a_command_without_harmful_ones(word: Word, any_words_only) -> None:
    Command("toy", flags="-a", values="-k --key", any_words=True).sort([word])
    table = Command("toy", flags="-a", values="-k --key")
    if any_words_only:
        with pytest.raises(NotReadOnly):
            table.sort([word])
    else:
        table.sort([word])
    table.sort([Word.literal("--"), word])


def every_table() -> list[Command]:
    return [rule for rule in (*RULES.values(), *SUB_COMMANDS.values()) if isinstance(rule, Command)]


def test_no_table_knows_an_option_as_two_things() -> None:
    for table in every_table():
        columns = [table.flags.split(), table.values.split(), table.optional.split(), " ".join(table.refused).split()]
        known = [option for column in columns for option in set(column)]
        overlap = {option for option in known if known.count(option) > 1}
        # One form of it takes a value and another does not: the form that takes none from the next word stands.
        assert all(table.kinds[option] == "optional" for option in overlap), (table.names, overlap)
        assert all(option.startswith("-") for option in known), table.names


def test_where_any_word_is_welcome_nothing_is_refused_or_counted() -> None:
    for table in every_table():
        if table.any_words or table.any_option:
            assert not table.refused, table.names
            assert table.operands is None, table.names
