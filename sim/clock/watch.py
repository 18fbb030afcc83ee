"""A watch for tests: what in a program would make its runs differ, with the line where it is.

The rule: it reports and changes nothing; only code below one folder is watched, so asyncio may do as it likes. Every
line is traced, which is slow. No times here.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from weakref import WeakSet

_CLOCKS = {
    getattr(time, name)
    for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "sleep")
}
_CLOCK_METHODS = {"now", "utcnow", "today"}
_KEEP_ORDER = {"list", "tuple", "iter", "enumerate", "zip", "map", "filter", "reversed"}
_LOSE_ORDER = {"any", "all", "sum", "min", "max", "len", "set", "frozenset", "sorted"}


@contextmanager
def watching(under: str | Path) -> Iterator[list[str]]:
    """Report, for code in files below `under`, reads of the real clock and walks over sets of tasks or futures.

    Walks are seen where the set is a name or an attribute: in loops, comprehensions, stars, `list()` and its like, and
    `pop()`; what is sorted, counted or put into another set is none.
    Gives the list that the reports are added to, one line a place, in the order in which they are met.
    """
    folder = Path(under).resolve()
    seen: dict[str, None] = {}
    reports: list[str] = []

    def report(frame: FrameType, what: str) -> None:
        code = frame.f_code
        place = f"{Path(code.co_filename).resolve().relative_to(folder)}:{frame.f_lineno} in {code.co_qualname}: {what}"
        if place not in seen:
            seen[place] = None
            reports.append(place)

    @cache
    def is_watched(filename: str) -> bool:
        return not filename.startswith("<") and Path(filename).resolve().is_relative_to(folder)

    def on_line(frame: FrameType, event: str, _arg: Any) -> Any:
        if event == "line":
            for text, code in _walks(frame.f_code.co_filename).get(frame.f_lineno, ()):
                if _is_set_of_tasks(code, frame):
                    report(frame, f"walks a set of tasks, whose order is that of their addresses: {text}")
        return on_line

    def on_call(frame: FrameType, _event: str, _arg: Any) -> Any:
        # Looking at the names of a module or class body would disturb its comprehensions on Python 3.12 (PEP 709).
        is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
        return on_line if is_function and is_watched(frame.f_code.co_filename) else None

    def on_c_call(frame: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and _reads_clock(called) and is_watched(frame.f_code.co_filename):
            report(frame, f"reads the real clock: {getattr(called, '__qualname__', called)}")

    with _installed(on_call, on_c_call):
        yield reports


@contextmanager
def _installed(trace: Callable[..., Any], profile: Callable[..., Any]) -> Iterator[None]:
    before = sys.gettrace(), sys.getprofile()
    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])


def _reads_clock(called: Any) -> bool:
    owner = getattr(called, "__self__", None)
    if isinstance(owner, type) and issubclass(owner, (date, datetime)):
        return called.__name__ in _CLOCK_METHODS
    return owner is time and called in _CLOCKS


def _is_set_of_tasks(code: CodeType, frame: FrameType) -> bool:
    try:
        value = eval(code, frame.f_globals, frame.f_locals)
    except Exception:
        return False  # the name has no value yet
    return isinstance(value, (set, frozenset, WeakSet)) and any(isinstance(one, asyncio.Future) for one in value)


@cache
def _walks(filename: str) -> dict[int, list[tuple[str, CodeType]]]:
    """Find what a file walks over, by line, as text and as code that gives it."""
    found: dict[int, list[tuple[str, CodeType]]] = {}
    tree = ast.parse(Path(filename).read_bytes())
    for node in _walked(tree):
        if _is_plain(node):
            text = ast.unparse(node)
            found.setdefault(node.lineno, []).append((text, compile(text, filename, "eval")))
    return found


def _walked(tree: ast.AST) -> Iterator[ast.expr]:
    unordered = {
        argument
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _LOSE_ORDER
        for argument in node.args
    }
    for node in ast.walk(tree):
        match node:
            case ast.For() | ast.AsyncFor():
                yield node.iter
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp() if node not in unordered:
                yield from (generator.iter for generator in node.generators)
            case ast.Starred(ctx=ast.Load()) if node not in unordered:
                yield node.value
            case ast.Call(func=ast.Name(id=name)) if name in _KEEP_ORDER and node not in unordered:
                yield from node.args
            case ast.Call(func=ast.Attribute(attr="pop", value=owner), args=[]):
                yield owner


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is a name or an attribute of one, which can be looked at without running anything."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
