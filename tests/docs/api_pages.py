"""Write docs/api/: a page for each package, every public name with its signature and what its docstring says.

Run as ``python tests/docs/api_pages.py`` in the project's root (``make docs``). The rule: what is described is read and
not imported, so that the pages are the same on every Python.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import griffe

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("executor", "scenarios", "sim")
NUMBERS: Final = (
    "sim.analysis.frames",
    "sim.analysis.metrics",
    "sim.analysis.critical",
    "sim.analysis.sampling",
    "sim.show.figures",
)
"""Modules below the packages' doors that people call in notebooks; they have a page of their own."""
PAGES: Final = Path("docs") / "api"
ROLE: Final = re.compile(r":\w+:`~?([\w.]*?)(\w+)`")
"""A reference such as ``:class:`~sim.OwnStage```: only its last name is shown."""
STAR: Final = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}
PROPERTY: Final = {"property"}
WORDS: Final = {"Part", "BaseModel", "StrEnum"}
"""Bases of classes whose every attribute is a word of theirs, explained or not."""
PUBLIC: Final = re.compile(r" as (\w+)$", re.MULTILINE)
"""A public name, as a package's stub hands it out."""


def main() -> None:
    """Write the pages."""
    (ROOT / PAGES).mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        (ROOT / PAGES / f"{package}.md").write_text(page(package), encoding="utf-8")
    (ROOT / PAGES / "numbers.md").write_text(page_of_numbers(), encoding="utf-8")


def page_of_numbers() -> str:
    """Give the page of what turns runs into frames, numbers and figures."""
    lines = ["# Frames, numbers, figures", "", "<!-- Written by `make docs` from the docstrings. -->"]
    for path in NUMBERS:
        module = loaded(path)
        things = {name: module[name] for name in names_of(module)}
        lines += ["", f"## `{path}`", "", *prose(module.docstring), "", "| name | what it is |", "| --- | --- |"]
        lines += [f"| [`{name}`](#{name.lower()}) | {summary(thing)} |" for name, thing in things.items()]
        for name, thing in things.items():
            lines += ["", f"### {name}", "", *described(name, thing)]
    return "\n".join(lines).rstrip() + "\n"


def names_of(module: griffe.Object | griffe.Alias) -> list[str]:
    """Give what a module hands out: what it lists, or else the functions and classes that are made in it."""
    if module.exports:
        return [str(name) for name in module.exports]
    own = {name: one for name, one in module.members.items() if name[0] != "_" and not one.is_alias}
    return [name for name, one in own.items() if one.is_function or one.is_class]


def loaded(path: str) -> griffe.Object | griffe.Alias:
    """Read a package or a module."""
    return griffe.load(path, search_paths=[str(ROOT)], docstring_parser="google", docstring_options={"warnings": False})


def page(package: str) -> str:
    """Give the page of a package."""
    tree = loaded(package)
    stub = (ROOT / package / "__init__.pyi").read_text(encoding="utf-8")
    names = sorted(PUBLIC.findall(stub), key=lambda name: (name.lower(), name))
    things = {name: public(tree, name) for name in names}
    lines = [
        f"# `{package}`",
        "",
        "<!-- Written by `make docs` from the docstrings. -->",
        "",
        *prose(tree.docstring),
        "",
        "| name | what it is |",
        "| --- | --- |",
        *(f"| [`{name}`](#{anchor(name, names)}) | {summary(thing)} |" for name, thing in things.items()),
    ]
    for name, thing in things.items():
        lines += ["", f"## {name}", "", *described(name, thing)]
    lines += ["", "## Spoken of", "", "What stands in the docstrings above by name, and is no public name.", ""]
    lines += sorted(spoken_of(tree, things), key=str.lower)
    return "\n".join(lines).rstrip() + "\n"


def anchor(name: str, names: list[str]) -> str:
    """Give the place of a heading in its page; a second one that differs in case only is numbered."""
    before = sum(other.lower() == name.lower() for other in names[: names.index(name)])
    return f"{name.lower()}{f'-{before}' * bool(before)}"


def spoken_of(tree: griffe.Object | griffe.Alias, things: Mapping[str, griffe.Object | griffe.Alias]) -> set[str]:
    """Tell of types and constants that the docstrings of public things refer to."""
    told = set()
    for thing in things.values():
        for one in (thing, *(member for member in thing.members.values() if not thing.is_module)):
            for place, name in ROLE.findall("" if one.docstring is None else one.docstring.value):
                found = resolved(tree, one, place, name)
                if name in things or found is None or found.docstring is None or found.is_module:
                    continue
                if not found.parent.is_class:
                    value = f" = `{found.value}`" if found.is_attribute else ""
                    told.add(f"- `{name}`{value}: {joined(found.docstring.value.partition(chr(10) * 2)[0])}")
    return told


def resolved(
    tree: griffe.Object | griffe.Alias, one: griffe.Object | griffe.Alias, place: str, name: str
) -> griffe.Object | None:
    """Find what a reference names, beside what it stands with or where it says; ``None`` outside the package."""
    try:
        path = f"{place}{name}" if place else one.docstring.parent.resolve(name)
        return tree.modules_collection[path] if path.startswith(f"{tree.name}.") else None
    except (KeyError, griffe.NameResolutionError, griffe.AliasResolutionError):
        return None


def public(tree: griffe.Object | griffe.Alias, name: str) -> griffe.Object | griffe.Alias:
    """Find what a public name stands for: a function or a class, where a module is called as it is."""
    thing = tree[name]
    while thing.is_module and name in thing.members:
        thing = thing.members[name]
    return thing


def summary(thing: griffe.Object | griffe.Alias) -> str:
    """Give the first sentence about something, on one line."""
    text = "" if thing.docstring is None else thing.docstring.value
    paragraph = " ".join(text.partition("\n\n")[0].split())
    return plain(re.split(r"(?<=[^.])\.(?: |$)", paragraph, maxsplit=1)[0].rstrip(".:")).replace("|", "\\|")


def described(name: str, thing: griffe.Object | griffe.Alias) -> Iterator[str]:
    """Describe a public name: signature, docstring, and what a class or a module has."""
    if thing.is_module:
        yield f"Module `{thing.path}`."
        yield ""
        yield from prose(thing.docstring)
        for key in thing.exports or ():
            yield from ("", f"### {name}.{key}", "", *described(key, thing[str(key)]))
    elif thing.is_function:
        yield from (*fenced(signature(name, thing)), "", *prose(thing.docstring))
    elif thing.is_class:
        yield from of_class(name, thing)
    else:
        yield from (*fenced(f"{name} = {thing.value}"), "", *prose(thing.docstring))


def of_class(name: str, thing: griffe.Object | griffe.Alias) -> Iterator[str]:
    """Describe a class."""
    maker = thing.members.get("__init__")
    if maker is not None:
        yield from (*fenced(signature(name, maker)), "")
    elif "NamedTuple" in str(thing.bases):
        fields = [
            field(key, one) for key, one in thing.members.items() if one.is_attribute and not one.labels & PROPERTY
        ]
        yield from (*fenced(call(name, fields)), "")
    yield from prose(thing.docstring)
    if maker is not None and maker.docstring is not None:
        yield from ("", *prose(maker.docstring))
    own = {key: one for key, one in thing.members.items() if key[0] != "_"}
    open_book = any(str(base) in WORDS for base in thing.bases)
    told = {key: one for key, one in own.items() if one.is_attribute and (open_book or one.docstring is not None)}
    if told:
        yield ""
    for key, one in told.items():
        text = "" if one.docstring is None else f": {plain(' '.join(one.docstring.value.split()))}"
        kind = f": {one.annotation}" if one.annotation is not None and not one.labels & PROPERTY else ""
        yield f"- `{key}{kind}{f' = {one.value}' if 'StrEnum' in map(str, thing.bases) else ''}`{text}"
    for key, one in own.items():
        if one.is_function and one.docstring is not None:
            yield from ("", f"### {name}.{key}", "", *fenced(signature(key, one)), "", *prose(one.docstring))


def field(name: str, one: griffe.Object | griffe.Alias) -> str:
    """Write an argument or a field: name, type and default."""
    default = one.default if isinstance(one, griffe.Parameter) else one.value
    return f"{name}: {one.annotation}{'' if default is None else f' = {default}'}"


def signature(name: str, function: griffe.Object | griffe.Alias) -> str:
    """Write how a function is called."""
    shown: list[str] = []
    kind = griffe.ParameterKind.positional_only
    for one in (one for one in function.parameters if one.name not in ("self", "cls")):
        if kind is griffe.ParameterKind.positional_only is not one.kind and shown:
            shown.append("/")
        if one.kind is griffe.ParameterKind.keyword_only and kind not in (one.kind, *STAR):
            shown.append("*")
        kind = one.kind
        shown.append(f"{STAR[kind]}{one.name}: {one.annotation}" if kind in STAR else field(one.name, one))
    returns = f" -> {function.returns}" if function.returns is not None and function.name != "__init__" else ""
    return f"{'async ' * ('async' in function.labels)}{call(name, shown)}{returns}"


def call(name: str, arguments: list[str]) -> str:
    """Write a call on one line or, where that is long, each argument on one."""
    line = f"{name}({', '.join(arguments)})"
    return line if len(line) <= 100 else f"{name}(\n" + "".join(f"    {one},\n" for one in arguments) + ")"


def prose(docstring: griffe.Docstring | None) -> Iterator[str]:
    """Write a docstring as Markdown."""
    sections = [] if docstring is None else docstring.parsed
    for number, section in enumerate(sections):
        if number:
            yield ""
        match section:
            case griffe.DocstringSectionText():
                yield from text_of(section.value)
            case griffe.DocstringSectionParameters():
                yield from (f"- `{one.name}`: {joined(one.description)}" for one in section.value)
            case griffe.DocstringSectionRaises():
                yield from (f"- raises `{one.annotation}`: {joined(one.description)}" for one in section.value)
            case griffe.DocstringSectionYields():
                yield f"Yields: {joined(' '.join(one.description or str(one.annotation) for one in section.value))}"
            case griffe.DocstringSectionReturns():
                yield f"Returns: {joined(' '.join(one.description or str(one.annotation) for one in section.value))}"
            case _:
                raise ValueError(f"{docstring}: a section that no page shows, {section.kind}")


def text_of(text: str) -> Iterator[str]:
    """Write paragraphs; what a console shows is an example in Python."""
    paragraphs = re.split(r"\n\n(?!    )", text)
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ""
        yield from fenced(paragraph) if paragraph.startswith(">>>") else plain(paragraph).splitlines()


def fenced(code: str) -> list[str]:
    """Set code apart."""
    return ["```python", *code.splitlines(), "```"]


def joined(text: str) -> str:
    """Write a description on one line."""
    return plain(" ".join(text.split()))


def plain(text: str) -> str:
    """Write references and literals as Markdown has them."""
    return ROLE.sub(r"`\2`", text).replace("``", "`")


if __name__ == "__main__":
    main()
