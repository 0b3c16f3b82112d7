"""The page on the standard library: its tables with all rows, made from the modules themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tvarc.advice.library.result import listed_sources
from tvarc.commands.shown import markdown as md
from tvarc.meaning.hir import FieldType, Table
from tvarc.values.value import Value, Version, show

_TOLD_APART: Final = ("sources", "mark", "note")  # every table has them
_LONGEST_WORD: Final = 20  # in letters: longer ones are names of nothing but commits and hashes
_WIDEST_CELL: Final = 40  # in letters: the reader of the page wraps a wider one
_ROOM: Final = 110  # letters for the columns of one table

_RECIPE = re.compile(r"^((?:# .*\n)+)recipe ([\w-]+)", re.MULTILINE)
_TABLE = re.compile(r"^facts ([\w-]+) \(\n(.*?)^\) \{$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"  ([\w-]+): .*?,(?:\s+# (.*))?")
_BEFORE = re.compile(r"  # (.*)")
_MORE = re.compile(r"\s{6,}# (.*)")


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag of a recipe: its type and its default as they are written."""

    name: str
    type: str
    default: str
    because: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe to extend. `axes` are those that it reads, what it extends included."""

    name: str
    parent: str | None
    axes: Sequence[str]
    flags: Sequence[Flag]


@dataclass(frozen=True, slots=True)
class Overlay:
    """An overlay or a patch: `target` is what it changes, `axes` are those that it reads."""

    name: str
    target: str
    axes: Sequence[str]
    because: str


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An exclusion: its condition as it is written, `axes` are those that it reads."""

    condition: str
    axes: Sequence[str]
    because: str


@dataclass(frozen=True, slots=True)
class Module:
    """One module: its name after `std.`, its text, and what it declares."""

    name: str
    text: str
    tables: Sequence[Table]
    recipes: Sequence[Recipe] = ()
    overlays: Sequence[Overlay] = ()
    exclusions: Sequence[Exclusion] = ()


@dataclass(slots=True)
class Comments:
    """What a module's comments say: of itself, its sources, its tables' fields, its recipes."""

    paragraphs: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=dict)


def stdlib_page(modules: Sequence[Module]) -> str:
    """The page in Markdown, ended by a newline."""
    return md.print_markdown(_page(modules))


def comments_of(text: str) -> Comments:
    """The comments of a module: those at its head, and those beside the fields of its tables."""
    told = Comments()
    head = text.partition("\n\n")[0].partition("# Sources:\n")[0]
    lines = [line.removeprefix("#").strip() for line in head.splitlines()]
    paragraphs = "\n".join(lines).split("\n\n")
    told.paragraphs = [" ".join(one.split()) for one in paragraphs if one.strip()]
    told.sources = listed_sources(text)
    for table in _TABLE.finditer(text):
        told.fields[table[1]] = _field_comments(table[2])
    for recipe in _RECIPE.finditer(text):
        told.recipes[recipe[2]] = " ".join(recipe[1].replace("#", " ").split())
    return told


def _field_comments(text: str) -> dict[str, str]:
    """The comments on a field: next to it, above it, and on further lines below it."""
    told: dict[str, str] = {}
    before: list[str] = []
    name = ""
    for line in text.splitlines():
        if (above := _BEFORE.fullmatch(line)) is not None:
            before.append(above[1])
        elif (found := _FIELD.fullmatch(line)) is not None:
            name = found[1]
            told[name] = " ".join([*before, found[2] or ""]).strip()
            before = []
        elif (more := _MORE.fullmatch(line)) is not None and name:
            told[name] += f" {more[1]}"
    return told


# --- blocks ----------------------------------------------------------------------------------


def _page(modules: Sequence[Module]) -> Iterator[md.Block]:
    yield md.Heading(1, md.prose("The standard library"))
    yield md.Paragraph(
        md.prose(
            "On this page you look up the facts of the standard library and their sources. "
            "Recipes, names, exclusions, lints and `tvarc pick` use these facts. "
            "`use std.MODULE` brings the tables of a module into a program. This page is made "
            "from the modules. After a change of a module, update it by "
            "`UPDATE_DOCS=1 pytest tests/unit/test_stdlib_docs.py`."
        )
    )
    yield md.Bullets(tuple(_entry(module) for module in modules))
    for module in modules:
        yield from _module(module)


def _entry(module: Module) -> md.Line:
    name = f"std.{module.name}"
    tables = [f"`{table.name}` ({len(table.rows)})" for table in module.tables]
    exclusions = [f"{len(module.exclusions)} exclusions"] if module.exclusions else []
    recipes = [f"`{recipe.name}`" for recipe in module.recipes]
    listed = ", ".join([*tables, *recipes, *exclusions])
    link = md.Link(name, f"#{name.replace('.', '')}")
    return (link, *md.prose(f": {listed}")) if listed else (link,)


def _module(module: Module) -> Iterator[md.Block]:
    told = comments_of(module.text)
    yield md.Heading(2, (md.Text(f"std.{module.name}"),))
    for paragraph in told.paragraphs:
        yield md.Paragraph(md.prose(paragraph))
    for table in module.tables:
        yield from _table(table, told.fields.get(table.name, {}))
    if module.recipes:
        yield from _recipes(module.recipes, told.recipes)
    if module.overlays:
        yield from _overlays(module.overlays)
    if module.exclusions:
        yield from _exclusions(module.exclusions)
    yield md.Heading(3, md.prose(f"Sources of std.{module.name}"))
    yield md.Bullets(
        tuple((md.Code(id), md.Text(f": {text}")) for id, text in told.sources.items())
    )


def _recipes(recipes: Sequence[Recipe], told: Mapping[str, str]) -> Iterator[md.Block]:
    yield md.Heading(3, md.prose("Recipes"))
    yield md.Table(
        (md.prose("Recipe"), md.prose("Extends"), md.prose("Axes that it reads"), md.prose("For")),
        tuple(
            (
                (md.Code(recipe.name),),
                (md.Code(recipe.parent),) if recipe.parent is not None else (),
                _codes(recipe.axes),
                md.prose(told.get(recipe.name, "")),
            )
            for recipe in recipes
        ),
    )
    yield md.Table(
        tuple(map(md.prose, ("Flag", "Recipe", "Type", "Default", "Because"))),
        tuple(
            (
                (md.Code(flag.name),),
                (md.Code(recipe.name),),
                (md.Code(flag.type),),
                (md.Code(flag.default),),
                md.prose(flag.because),
            )
            for recipe in recipes
            for flag in recipe.flags
        ),
    )


def _overlays(overlays: Sequence[Overlay]) -> Iterator[md.Block]:
    yield md.Heading(3, md.prose("Overlays and patches"))
    yield md.Table(
        tuple(map(md.prose, ("Name", "Changes", "Axes that it reads", "Because"))),
        tuple(
            (
                (md.Code(overlay.name),),
                (md.Code(overlay.target),),
                _codes(overlay.axes),
                md.prose(overlay.because),
            )
            for overlay in overlays
        ),
    )


def _exclusions(exclusions: Sequence[Exclusion]) -> Iterator[md.Block]:
    yield md.Heading(3, md.prose("Exclusions"))
    yield md.Table(
        tuple(map(md.prose, ("Drops the cells in which", "Axes that it reads", "Because"))),
        tuple(
            ((md.Code(one.condition),), _codes(one.axes), md.prose(one.because))
            for one in exclusions
        ),
    )


def _codes(words: Sequence[str]) -> md.Line:
    """Words to be typed, with commas between."""
    return tuple(part for word in words for part in (md.Text(", "), md.Code(word)))[1:]


def _table(table: Table, told: Mapping[str, str]) -> Iterator[md.Block]:
    yield md.Heading(3, (md.Code(table.name),))
    yield md.Table(
        (md.prose("Field"), md.prose("Type"), md.prose("Meaning")),
        tuple(
            ((md.Code(name),), (md.Code(type_text(kind)),), md.prose(told.get(name, "")))
            for name, kind in table.fields.items()
        ),
    )
    for columns in _shares(table):
        yield _columns(table, columns)
    yield md.Table(
        (md.prose("Row"), md.prose("Mark"), md.prose("Sources"), md.prose("Note")),
        tuple(
            (
                (md.Code(row.name),),
                _cell(row.facts["mark"].value),
                _cell(row.facts["sources"].value),
                md.prose(str(row.facts["note"].value or "")),
            )
            for row in table.rows.values()
        ),
    )


def _shares(table: Table) -> Iterator[list[str]]:
    """The columns of a table in shares that fit on a page; one that is empty is left out."""
    share: list[str] = []
    used = 0
    for name in table.fields:
        texts = [_plain(row.facts[name].value) for row in table.rows.values()]
        if name in _TOLD_APART or not any(texts):
            continue
        width = min(max(map(len, [name, *texts])), _WIDEST_CELL)
        if share and used + width > _ROOM:
            yield share
            share, used = [], 0
        share.append(name)
        used += width
    if share:
        yield share


def _columns(table: Table, columns: Sequence[str]) -> md.Table:
    typed = {name for name in columns if _is_typed(table, name)}
    return md.Table(
        (md.prose("Row"), *((md.Code(name),) for name in columns)),
        tuple(
            (
                (md.Code(row.name),),
                *(_cell(row.facts[name].value, typed=name in typed) for name in columns),
            )
            for row in table.rows.values()
        ),
    )


def _is_typed(table: Table, name: str) -> bool:
    """Whether a column holds what people type rather than read: flags, hashes, attributes."""
    found = [word for row in table.rows.values() for word in _words(row.facts[name].value)]
    return all(" " not in word for word in found) and any(
        word.startswith("-") or "_" in word or len(word) > _LONGEST_WORD for word in found
    )


def _words(value: Value) -> Iterator[str]:
    """The strings that a value is made of."""
    if isinstance(value, tuple):
        for item in value:
            yield from _words(item)
    elif isinstance(value, str):
        yield value


# --- values ----------------------------------------------------------------------------------


def type_text(kind: FieldType) -> str:
    """A type as it is declared: `[version]?`, `one_of("a", "f")`."""
    if kind.allowed:
        text = f"one_of({', '.join(map(show, kind.allowed))})"
    elif kind.element is not None:
        text = f"[{type_text(kind.element)}]"
    else:
        text = kind.kind
    return f"{text}?" if kind.optional else text


def _cell(value: Value, *, typed: bool = False) -> md.Line:
    """A value as a cell shows it, as code when it is *typed*; nothing for null and for []."""
    if isinstance(value, tuple):
        found: list[md.Inline] = []
        for item in value:
            found += (
                [md.Text(", "), *_cell(item, typed=typed)] if found else _cell(item, typed=typed)
            )
        return tuple(found)
    text = _plain(value)
    if not text:
        return ()
    return (md.Code(text),) if typed else (md.Text(text),)


def _plain(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case Version():
            return value.text
        case tuple():
            return ", ".join(map(_plain, value))
        case _:
            return show(value)
