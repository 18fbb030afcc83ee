"""A shell command as its parts: every simple command, every redirection, wherever in the command they stand.

The rule: tree-sitter's reading counts only where each of its tokens is one that bash would have cut the same way; all
else is not understood (R2). The tree is walked with a cursor, never by recursion, so that no nesting can exhaust the
stack.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from .lexemes import check_heredoc, check_lexeme, gap_is_blank, gap_stays_on_the_line
from .script import Assignment, Change, Redirection, Script, SimpleCommand
from .words import NotUnderstood, Word, check_touching, read_words

LONGEST_BYTES: Final = 50_000
DEEPEST: Final = 100
"""Levels of the syntax tree; nobody writes such a command by hand."""


_INNER: Final = frozenset({
    "program", "list", "pipeline", "redirected_statement", "compound_statement", "subshell", "if_statement",
    "elif_clause", "else_clause", "while_statement", "do_group", "negated_command", "command_substitution",
    "command_name", "string", "concatenation", "binary_expression", "unary_expression", "parenthesized_expression",
    "simple_expansion", "process_substitution", "brace_expression",
})  # fmt: skip
"""Nodes that say nothing themselves: their children are looked at."""
_LEAVES: Final = frozenset({
    "word", "number", "raw_string", "string_content", "ansi_c_string", "variable_name", "special_variable_name",
    "file_descriptor", "test_operator", "regex", "extglob_pattern", "comment", "heredoc_start", "heredoc_body",
    "heredoc_end", "arithmetic_expansion",
})  # fmt: skip
_NAMED: Final = _INNER | _LEAVES
_TOKENS: Final = frozenset({
    "&&", "||", ";", "|", "|&", "\n", "(", ")", "{", "}", "if", "then", "elif", "else", "fi", "while", "until", "do",
    "done", "for", "in", "!", "$(", "`", '"', "[", "]", "[[", "]]", "=", "==", "!=", "=~", "<", ">", "$", "${", "<(",
    ">>", "&>", "&>>", "<&", ">&", ">|", "<&-", ">&-", "<<", "<<-", "<<<", "..", "+=",
    "export", "declare", "typeset", "local", "readonly", "unset", "unsetenv", "function",
    ":-", "-", ":+", "+", "#", "##", "%", "%%", "/", "//", "/#", "/%", "^", "^^", ",", ",,",
})  # fmt: skip
_CHANGES: Final = {
    "function_definition": "defines a function, which changes the shell",
    "declaration_command": "declares a variable, which changes the shell",
    "unset_command": "unsets a variable, which changes the shell",
    "variable_assignments": "sets variables, which changes the shell",
    "array": "sets an array, which changes the shell",
    "&": "leaves a process running in the background",
    ">(": "writes into a process",
}
_SETS_A_VARIABLE: Final = "sets a variable, which changes the shell"
_SET_APART: Final = frozenset({"declaration_command", "unset_command"})
"""Commands that the grammar knows by another name."""
_BRACE_BEFORE_REDIRECTION: Final = re.compile(rb"(\$\{\w+\}|[\s;&]\}|\{\})\Z")
"""The braces that may stand directly before a redirection: of an expansion, of a group, and ``{}``."""
_EXPANSION: Final = re.compile(rb"\$\{(?:#\w+\}|[A-Za-z_]\w*(?:\}|:?[-+]|##?|%%?|//?|\^\^?|,,?))")
_ARITHMETIC: Final = re.compile(rb"\$\(\([\d\s+*/%()-]*\)\)")
_WORD_LIKE: Final = frozenset({
    "word", "number", "raw_string", "string", "ansi_c_string", "concatenation", "simple_expansion", "expansion",
    "command_substitution", "arithmetic_expansion", "process_substitution", "brace_expression", "$", "=", "==", "=~",
})  # fmt: skip
_OPERATORS: Final = frozenset({"<", ">", "&&", "||", "(", ")"})
_EXPRESSIONS: Final = frozenset({"binary_expression", "unary_expression", "parenthesized_expression"})


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def parse(text: str) -> Script:
    """Read a shell command (R1).

    Args:
        text: the command, as the shell would get it.

    Raises:
        NotUnderstood: it is no bash that can be read with certainty; the message says why.

    >>> script = parse("LC_ALL=C sort a.txt | head -n 3 2>/dev/null")
    >>> [[word.text for word in command.words] for command in script.commands]
    [['sort', 'a.txt'], ['head', '-n', '3']]
    >>> script.commands[0].assignments[0].name, script.redirections[0].operator
    ('LC_ALL', '>')
    """
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text):
        raise NotUnderstood("it has control characters")
    try:
        source = text.encode()
    except UnicodeEncodeError:
        raise NotUnderstood("it is no valid Unicode") from None
    if len(source) > LONGEST_BYTES:
        raise NotUnderstood(f"it is longer than {LONGEST_BYTES} bytes")
    root = _parser().parse(source).root_node
    if root.has_error:
        raise NotUnderstood("its syntax is not understood")
    return _Parts(source, root).script()


def _walk(root: Node) -> Iterator[Node]:
    """Every node before its children, in the order of the text; what has a check of its own is not entered."""
    cursor = root.walk()
    while True:
        node = cursor.node
        assert node is not None
        yield node
        if cursor.depth > DEEPEST:
            raise NotUnderstood(f"it is nested deeper than {DEEPEST} levels")
        if node.type not in ("arithmetic_expansion", "heredoc_body") and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


class _Parts:
    """Collects the parts while the tree is walked."""

    def __init__(self, source: bytes, root: Node) -> None:
        self._source = source
        self._root = root
        self._commands: dict[int, SimpleCommand] = {}
        self._redirections: list[Redirection] = []
        self._changes: list[Change] = []
        self._in_front: set[int] = set()
        self._extra: dict[int, list[Node]] = {}

    def script(self) -> Script:
        end = 0
        for node in _walk(self._root):
            self._look_at(node)
            if node.child_count == 0 or node.type in _LEAVES:
                if not gap_is_blank(self._source[end : node.start_byte]):
                    raise NotUnderstood(f"{self._source[end : node.end_byte].decode(errors='replace')!r} is not clear")
                check_lexeme(node, self._source)
                end = node.end_byte
        if not gap_is_blank(self._source[end:]):
            raise NotUnderstood(f"its end {self._source[end:].decode(errors='replace')!r} is not clear")
        return Script(tuple(self._commands.values()), tuple(self._redirections), tuple(self._changes), self._deciding())

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode()

    def _look_at(self, node: Node) -> None:
        kind = node.type
        if kind.endswith("_redirect"):
            self._sets_no_variable(node)
        if kind in _CHANGES:
            self._changes.append(Change(self._text(node), _CHANGES[kind], kind in _SET_APART))
        elif kind == "command":
            self._command(node)
        elif kind == "test_command":
            self._test(node)
        elif kind == "redirected_statement":
            self._redirected(node)
        elif kind == "file_redirect":
            self._redirect(node)
        elif kind == "heredoc_redirect":
            if any(child.type in _WORD_LIKE for child in node.children):
                raise NotUnderstood("words after a here-document's delimiter are not understood")
            check_heredoc(node, self._source)
        elif kind == "herestring_redirect":
            self._on_one_line(node)
        elif kind == "variable_assignment":
            if node.start_byte not in self._in_front:
                self._changes.append(Change(self._text(node), _SETS_A_VARIABLE, False))
        elif kind == "for_statement":
            # What the variable was given last is still in it behind the loop.
            self._changes.append(Change(f"for {self._text(node.children[1])}", _SETS_A_VARIABLE, False))
        elif kind == "expansion":
            if not _EXPANSION.match(self._source, node.start_byte):
                raise NotUnderstood(f"`{self._text(node)}` may set or run something")
        elif kind == "arithmetic_expansion":
            if not _ARITHMETIC.fullmatch(self._source, node.start_byte, node.end_byte):
                raise NotUnderstood(f"`{self._text(node)}` may set or run something")
        elif kind == "command_substitution":
            # Inside backticks a backslash is taken away before the text is read, and then it is another text.
            if self._text(node).startswith("`") and "\\" in self._text(node):
                raise NotUnderstood("a backslash between backticks is not understood")
        elif kind not in (_NAMED if node.is_named else _TOKENS):
            raise NotUnderstood(f"`{self._text(node) or kind}` is not understood")

    def _on_one_line(self, node: Node) -> None:
        """Hold that no newline, which would end the command, lies between a node's children."""
        end = node.start_byte
        for child in node.children:
            if not gap_stays_on_the_line(self._source[end : child.start_byte]):
                raise NotUnderstood("a line break within a command is not clear")
            end = child.end_byte

    def _command(self, node: Node) -> None:
        self._on_one_line(node)
        assignments = [child for child in node.children if child.type == "variable_assignment"]
        parts: list[Node] = []
        for child in node.children:
            if child.type == "file_redirect":
                parts += self._destinations(child)[1:]
            elif child.type == "command_name" or child.type in _WORD_LIKE:
                parts.append(child)
            elif child.type not in ("variable_assignment", "herestring_redirect"):
                raise NotUnderstood(f"`{self._text(child)}` in a command is not understood")
        parts += self._extra.pop(node.id, [])
        words = read_words(parts, self._source)
        if not words:
            return
        self._in_front |= {assignment.start_byte for assignment in assignments}
        for assignment in assignments:
            check_touching(assignment)
            if not re.fullmatch(r"[A-Za-z_]\w*", self._text(assignment.children[0])):
                raise NotUnderstood(f"`{self._text(assignment)}` is not understood")
        self._commands[node.id] = SimpleCommand(
            tuple(words),
            tuple(Assignment(self._text(each.children[0]), self._text(each)) for each in assignments),
            " ".join([*map(self._text, assignments), *(word.source for word in words)]),
        )

    def _test(self, node: Node) -> None:
        """Read ``[ … ]`` and ``[[ … ]]`` as a command of that name whose words are its operators and operands."""
        parts: list[Node] = []
        todo = [node]
        while todo:
            child = todo.pop()
            if child.type in _EXPRESSIONS or child is node:
                self._on_one_line(child)
                todo.extend(reversed(child.children))
            else:
                parts.append(child)
        if parts[0].type not in ("[", "[["):
            raise NotUnderstood(f"`{self._text(node)}` is not understood")
        if parts[0].type == "[" and any(part.type in _OPERATORS for part in parts):
            raise NotUnderstood(f"`{self._text(node)}` has an operator that is not part of the test")
        words = read_words(parts[1:-1], self._source)
        self._commands[node.id] = SimpleCommand(
            (Word.literal(parts[0].type), *words, Word.literal(parts[-1].type)), (), self._text(node)
        )

    def _redirected(self, node: Node) -> None:
        """Give the words that stand behind a redirection back to their command: ``sort a >/dev/null -o b``."""
        self._on_one_line(node)
        behind = [
            extra for child in node.children if child.type == "file_redirect" for extra in self._destinations(child)[1:]
        ]
        body = node.children[0]
        if behind and body.type != "command":
            raise NotUnderstood("words behind a redirection are not understood")
        self._extra[body.id] = behind

    def _sets_no_variable(self, node: Node) -> None:
        """Refuse ``{name}<file``, which sets a variable of the shell; the grammar takes ``{name}`` for an argument."""
        before = self._source[max(0, node.start_byte - 80) : node.start_byte]
        if before.endswith(b"}") and not _BRACE_BEFORE_REDIRECTION.search(before):
            raise NotUnderstood("a redirection behind a brace may set a variable")

    def _destinations(self, node: Node) -> list[Node]:
        return [child for index, child in enumerate(node.children) if node.field_name_for_child(index) == "destination"]

    def _redirect(self, node: Node) -> None:
        self._on_one_line(node)
        operator = next(child.type for child in node.children if child.type != "file_descriptor")
        target = read_words(self._destinations(node)[:1], self._source)
        self._redirections.append(Redirection(operator, target[0] if target else None, self._text(node)))

    def _deciding(self) -> tuple[SimpleCommand, ...]:
        found: list[SimpleCommand] = []
        todo = [self._root]
        while todo:
            node = todo.pop()
            inner = [child for child in node.children if child.is_named and child.type != "comment"]
            if node.id in self._commands:
                found.append(self._commands[node.id])
            elif node.type in ("program", "subshell", "compound_statement", "pipeline", "negated_command") and inner:
                todo.append(inner[-1])
            elif node.type == "list" and len(node.children) == 3:
                todo += [node.children[2], node.children[0]] if node.children[1].type == "&&" else [node.children[2]]
            elif node.type == "redirected_statement" and all(child.type == "file_redirect" for child in inner[1:]):
                todo.append(inner[0])
            else:
                return ()
        return tuple(found)
