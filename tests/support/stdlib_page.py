"""The page on the standard library: its tables with all rows, made from the modules themselves."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from support.compile import codes, compile_text, messages, std_sources
from support.library import module_tables
from tvarc.advice.library.relations import listed_sources
from tvarc.commands.shown import markdown as md
from tvarc.meaning import hir
from tvarc.meaning.evaluation.show import show_target
from tvarc.meaning.hir import FieldType, Table
from tvarc.text.source import Span
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


@dataclass(slots=True)
class Comments:
    """What a module's comments say: of itself, its sources, its tables' fields, its recipes."""

    paragraphs: list[str] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    recipes: dict[str, str] = field(default_factory=dict)


@cache
def stdlib_page() -> str:
    """The page in Markdown, ended by a newline."""
    return md.print_markdown(_page(sorted(std_sources())))


# --- what a module declares ------------------------------------------------------------------


@cache
def module_program(module: str) -> hir.Program:
    compilation = compile_text(f"use std.{module}\n")
    assert codes(compilation) == [], messages(compilation)
    assert compilation.resolution is not None
    return compilation.resolution.program


def module_recipes(module: str) -> list[hir.RecipeDef]:
    """The recipes that `std.<module>` declares, in the order of its text."""
    return [one for one in module_program(module).recipes if _is_of(one.span, module)]


def module_overlays(module: str) -> list[hir.OverlayDef]:
    """The overlays and patches that `std.<module>` declares, in the order of its text."""
    return [one for one in module_program(module).overlays if _is_of(one.span, module)]


def module_exclusions(module: str) -> list[hir.Check]:
    """The exclusions that `std.<module>` declares, in the order of its text."""
    return [one for one in module_program(module).excludes if _is_of(one.span, module)]


def _is_of(span: Span, module: str) -> bool:
    return span.file == f"std/{module}.tvar"


def axes(node: object) -> list[str]:
    """The axes that a declaration reads, through `let`s, not through other declarations; those of
    a recipe with what it extends."""
    layers = [one.layer for one in node.chain()] if isinstance(node, hir.RecipeDef) else node
    return list(dict.fromkeys(_axes(layers)))


def _axes(node: object) -> Iterator[str]:
    match node:
        case hir.AxisRef():
            yield node.axis
        case hir.LetDef():
            yield from _axes(node.expr)
        case hir.Table() | hir.RecipeDef() | hir.OverlayDef() | hir.MatrixDef():
            pass
        case tuple() | list():
            for item in node:
                yield from _axes(item)
        case _ if dataclasses.is_dataclass(node):
            for field in dataclasses.fields(node):
                yield from _axes(getattr(node, field.name))
        case _:
            pass


# --- its comments ----------------------------------------------------------------------------


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


def _page(modules: Sequence[str]) -> Iterator[md.Block]:
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


def _entry(module: str) -> md.Line:
    name, exclusions = f"std.{module}", module_exclusions(module)
    tables = [f"`{table.name}` ({len(table.rows)})" for table in module_tables(module).values()]
    counted = [f"{len(exclusions)} exclusions"] if exclusions else []
    recipes = [f"`{recipe.name}`" for recipe in module_recipes(module)]
    listed = ", ".join([*tables, *recipes, *counted])
    link = md.Link(name, f"#{name.replace('.', '')}")
    return (link, *md.prose(f": {listed}")) if listed else (link,)


def _module(module: str) -> Iterator[md.Block]:
    told = comments_of(std_sources()[module])
    yield md.Heading(2, (md.Text(f"std.{module}"),))
    for paragraph in told.paragraphs:
        yield md.Paragraph(md.prose(paragraph))
    for table in module_tables(module).values():
        yield from _table(table, told.fields.get(table.name, {}))
    if module_recipes(module):
        yield from _recipes(module, told.recipes)
    if module_overlays(module):
        yield from _overlays(module)
    if module_exclusions(module):
        yield from _exclusions(module)
    yield md.Heading(3, md.prose(f"Sources of std.{module}"))
    yield md.Bullets(
        tuple((md.Code(id), md.Text(f": {text}")) for id, text in told.sources.items())
    )


def _recipes(module: str, told: Mapping[str, str]) -> Iterator[md.Block]:
    recipes = module_recipes(module)
    yield md.Heading(3, md.prose("Recipes"))
    yield md.Table(
        (md.prose("Recipe"), md.prose("Extends"), md.prose("Axes that it reads"), md.prose("For")),
        tuple(
            (
                (md.Code(recipe.name),),
                (md.Code(recipe.parent.name),) if recipe.parent is not None else (),
                _codes(sorted(axes(recipe))),
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
                (md.Code(type_text(flag.type)),),
                (md.Code(_written(flag.default, module)),),
                md.prose(flag.because),
            )
            for recipe in recipes
            for flag in recipe.layer.flags
        ),
    )


def _overlays(module: str) -> Iterator[md.Block]:
    yield md.Heading(3, md.prose("Overlays and patches"))
    yield md.Table(
        tuple(map(md.prose, ("Name", "Changes", "Axes that it reads", "Because"))),
        tuple(
            (
                (md.Code(overlay.name),),
                (md.Code(show_target(overlay.target) or ", ".join(_members(overlay.layer))),),
                _codes(sorted(axes(overlay.layer))),
                md.prose(overlay.because),
            )
            for overlay in module_overlays(module)
        ),
    )


def _members(layer: hir.Layer) -> Iterator[str]:
    """What an overlay without a target changes."""
    for write in layer.writes:
        if isinstance(write, hir.Write):
            yield ".".join(part for part in write.path if part != "attrs")


def _exclusions(module: str) -> Iterator[md.Block]:
    yield md.Heading(3, md.prose("Exclusions"))
    yield md.Table(
        tuple(map(md.prose, ("Drops the cells in which", "Axes that it reads", "Because"))),
        tuple(
            ((md.Code(_written(one.expr, module)),), _codes(axes(one)), md.prose(one.because))
            for one in module_exclusions(module)
        ),
    )


def _written(expr: hir.Expr, module: str) -> str:
    """What is written, on one line."""
    return " ".join(std_sources()[module][expr.span.start : expr.span.end].split())


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
