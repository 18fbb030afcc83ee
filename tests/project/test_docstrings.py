"""Public docstrings are complete: a sentence, every argument where there are several, every error (DESIGN 7)."""

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

import pytest
from pydantic import BaseModel

PACKAGES = ("executor", "scenarios", "sim")
BELOW = (
    "sim.analysis.frames",
    "sim.analysis.metrics",
    "sim.analysis.critical",
    "sim.analysis.sampling",
    "sim.show.figures",
)
"""Modules whose functions people call in notebooks."""
FIGURES = sorted((Path(__file__).parents[2] / "sim" / "show" / "figures").glob("[!_]*.py"))
DRAWERS = tuple(f"sim.show.figures.{file.stem}" for file in FIGURES)
"""What a figure is put together from: a function counts here before the package hands it out."""
DOORS = (*PACKAGES, *BELOW, *DRAWERS)
MAKERS = ("__init__", "__post_init__")
Documented = tuple[str, str, Callable[..., Any], bool]
"""A name to report, its docstring, what is called, and whether its arguments are of our making."""


def is_ours(thing: Any) -> bool:
    return getattr(thing, "__module__", "").partition(".")[0] in PACKAGES


def each_door(package: str) -> Iterator[tuple[str, Any]]:
    """Give the public classes and functions of a package, or of a module below its doors, by name."""
    module = importlib.import_module(package)
    if package not in PACKAGES and not hasattr(module, "__all__"):
        names = [name for name, one in vars(module).items() if getattr(one, "__module__", "") == package]
    else:
        names = dir(module) if package in PACKAGES else module.__all__
    for name in names:
        thing = getattr(module, name)
        if name[0] != "_" and is_ours(thing) and (inspect.isclass(thing) or inspect.isfunction(thing)):
            yield f"{package}.{name}", thing


def each_documented(package: str) -> Iterator[Documented]:
    """Give what can be called at a package's doors: functions, classes, and the public methods of classes."""
    for name, door in each_door(package):
        if inspect.isfunction(door):
            yield name, inspect.getdoc(door) or "", door, True
            continue
        made = not issubclass(door, Enum | BaseException | BaseModel) and Protocol not in door.__bases__
        yield name, documentation(door), door, made
        for attribute, value in vars(door).items():
            method = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if inspect.isfunction(method) and not attribute.startswith("_"):
                foreign = any(attribute in vars(base) for base in door.__mro__[1:] if not is_ours(base))
                yield f"{name}.{attribute}", inspect.getdoc(method) or "", method, not foreign


def documentation(door: type) -> str:
    """Read what a class says of its arguments; one without a way of its own to be made is made as its base is."""
    return "\n".join(inspect.cleandoc(base.__doc__ or "") for base in door.__mro__ if is_ours(base))


def body_of(thing: Any) -> list[ast.stmt]:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    assert isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    return node.body


def arguments_of(thing: Callable[..., Any]) -> list[str]:
    """Give the arguments that have a name of their own."""
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    given = inspect.signature(thing).parameters.values()
    return [one.name for one in given if one.kind not in variadic and one.name not in ("self", "cls")]


def raised_by(body: list[ast.stmt]) -> set[str]:
    """Give the errors that some code makes and lets out, the functions inside it aside."""
    errors: set[str] = set()
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
            errors.add(node.exc.func.id)
        if isinstance(node, ast.Try):
            waiting += [*node.handlers, *node.orelse, *node.finalbody]
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return errors


def errors_of(thing: Callable[..., Any]) -> set[str]:
    if not inspect.isclass(thing):
        return raised_by(body_of(thing))
    makers = [node for node in body_of(thing) if isinstance(node, ast.FunctionDef) and node.name in MAKERS]
    return set().union(*(raised_by(maker.body) for maker in makers))


@pytest.mark.parametrize("package", DOORS)
def test_every_public_docstring_begins_with_a_sentence(package: str) -> None:
    silent = [name for name, text, *_ in each_documented(package) if not re.match(r"\S[^\n]{8,}", text)]
    for name, door in each_door(package):
        properties = {key: value for key, value in vars(door).items() if isinstance(value, property)}
        silent += [f"{name}.{key}" for key, value in properties.items() if key[0] != "_" and not value.__doc__]
    assert not silent


@pytest.mark.parametrize("package", DOORS)
def test_every_argument_is_explained_where_there_are_several(package: str) -> None:
    """What takes one argument may say in its sentence what that is; a model's fields are explained one by one."""
    missing = {}
    for name, text, thing, ours in each_documented(package):
        arguments = arguments_of(thing) if ours else []
        untold = [one for one in arguments if not re.search(rf"^\s*{one}(, \w+)*:|``{one}\b", text, re.M)]
        if untold and (len(arguments) > 1 or "Args:" in text):
            missing[name] = untold
    assert not missing


@pytest.mark.parametrize("package", DOORS)
def test_every_error_that_is_raised_is_named(package: str) -> None:
    missing = {}
    for name, text, thing, ours in each_documented(package):
        errors = errors_of(thing) if ours else set()
        if untold := sorted(error for error in errors if not re.search(rf"\b{error}\b", text)):
            missing[name] = untold
    assert not missing
