"""`docs/stdlib.md` is what the modules say. UPDATE_DOCS=1 in the environment rewrites it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import pytest

from support.compile import ROOT, std_sources
from support.effort import for_each
from support.library import (
    all_tables,
    axes,
    comments_of,
    module_exclusions,
    module_overlays,
    module_recipes,
    module_tables,
)
from tvarc.commands.shown import markdown as md
from tvarc.meaning import hir
from tvarc.meaning.evaluation.show import show_expr
from tvarc.meaning.hir import FieldType, Table
from tvarc.values.value import Value, Version, show

PAGE = ROOT / "docs" / "stdlib.md"

_TOLD_APART: Final = ("sources", "mark", "note")  # every table has them
_LONGEST_WORD: Final = 20  # in letters: longer ones are names of nothing but commits and hashes
_WIDEST_CELL: Final = 40  # in letters: the reader of the page wraps a wider one
_ROOM: Final = 110  # letters for the columns of one table


@cache
def stdlib_page() -> str:
    """The page in Markdown, ended by a newline."""
    return md.print_markdown(blocks(sorted(std_sources())))


@pytest.mark.slow
def test_the_page_is_what_the_modules_say() -> None:
    if os.environ.get("UPDATE_DOCS") == "1":
        PAGE.write_text(stdlib_page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == stdlib_page()


@pytest.mark.slow
def test_every_row_stands_on_the_page() -> None:
    text = stdlib_page()
    for _, table in all_tables():
        for row in table.rows.values():
            assert f"\n| `{row.name}` | " in text


@pytest.mark.slow
def test_tables_are_as_wide_as_their_heads() -> None:
    width = 0
    for line in stdlib_page().splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        assert width in (0, cells) or not cells, line
        width = cells


@for_each("module", sorted(std_sources()))
def test_every_field_is_explained(module: str) -> None:
    told = comments_of(std_sources()[module])
    assert told.paragraphs and told.sources
    for table in module_tables(module).values():
        explained = told.fields[table.name]
        assert explained.keys() == table.fields.keys()
        assert all(explained.values()), table.name


@for_each("module", sorted(std_sources()))
def test_every_recipe_and_overlay_is_explained(module: str) -> None:
    told = comments_of(std_sources()[module]).recipes
    for recipe in module_recipes(module):
        assert told[recipe.name], recipe.name
    for overlay in module_overlays(module):
        assert overlay.because, overlay.name


def test_types_are_shown_as_they_are_declared() -> None:
    word = FieldType("string", allowed=("a", "f"))
    assert type_text(FieldType("list", word, optional=True)) == '[one_of("a", "f")]?'
    assert type_text(FieldType("version")) == "version"


# --- the printer of Markdown ---------------------------------------------------------------------


def printed(*inlines: md.Inline) -> str:
    return md.print_markdown([md.Paragraph(inlines)]).removesuffix("\n")


@for_each(
    "text, shown",
    [
        ("plain words, 13.0 (x)", "plain words, 13.0 (x)"),
        ("a_b*c", "a\\_b\\*c"),
        ("<b> & [x](y) | `z`", "\\<b\\> \\& \\[x\\](y) \\| \\`z\\`"),
        ("two\nlines", "two lines"),
        ("# no heading", "\\# no heading"),
        ("- no item", "\\- no item"),
        ("1. no item", "1\\. no item"),
        ("12.8 is a version", "12.8 is a version"),
        ("back\\slash", "back\\\\slash"),
    ],
)
def test_text_is_escaped(text: str, shown: str) -> None:
    assert printed(md.Text(text)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a_b", "`a_b`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("a|b", "`a|b`")],
)
def test_code_stands_between_enough_backticks(text: str, shown: str) -> None:
    assert printed(md.Code(text)) == shown


def test_a_cell_never_ends_early() -> None:
    table = md.Table((md.prose("a"), md.prose("b")), (((md.Code("x|y"),), (md.Text("p|q"),)),))
    assert md.print_markdown([table]) == "| a | b |\n|---|---|\n| `x\\|y` | p\\|q |\n"


def test_words_between_backticks_are_code() -> None:
    assert md.prose("use `x_y` so") == (md.Text("use "), md.Code("x_y"), md.Text(" so"))


def test_blocks_stand_apart() -> None:
    blocks: list[md.Block] = [
        md.Heading(2, md.prose("Title")),
        md.Bullets((md.prose("one"), (md.Link("two", "#two"),))),
        md.Paragraph(md.prose("end")),
    ]
    assert md.print_markdown(blocks) == "## Title\n\n- one\n- [two](#two)\n\nend\n"


# --- the page -------------------------------------------------------------------------------------


def blocks(modules: Sequence[str]) -> Iterator[md.Block]:
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


def _grid(heads: str, rows: Iterable[tuple[md.Line, ...]]) -> md.Table:
    return md.Table(tuple(map(md.prose, heads.split(" | "))), tuple(rows))


def _recipes(module: str, told: Mapping[str, str]) -> Iterator[md.Block]:
    recipes = module_recipes(module)
    yield md.Heading(3, md.prose("Recipes"))
    yield _grid(
        "Recipe | Extends | Axes that it reads | For",
        (
            (
                (md.Code(recipe.name),),
                (md.Code(recipe.parent.name),) if recipe.parent is not None else (),
                _codes(sorted(axes(recipe))),
                md.prose(told.get(recipe.name, "")),
            )
            for recipe in recipes
        ),
    )
    yield _grid(
        "Flag | Recipe | Type | Default | Because",
        (
            (
                *(
                    (md.Code(word),)
                    for word in (
                        flag.name, recipe.name, type_text(flag.type), _written(flag.default, module)
                    )
                ),
                md.prose(flag.because),
            )
            for recipe in recipes
            for flag in recipe.layer.flags
        ),
    )


def show_target(target: tuple[str | hir.Write, ...]) -> str:
    """The target of an overlay in its written form: `pkgs[python.set].numpy`."""
    text = ""
    for step in target:
        if isinstance(step, hir.Write):
            text = f"{text or 'pkgs'}[{show_expr(step.value)}]"
        else:
            text += f".{step}" if text else step
    return text


def _overlays(module: str) -> Iterator[md.Block]:
    yield md.Heading(3, md.prose("Overlays and patches"))
    yield _grid(
        "Name | Changes | Axes that it reads | Because",
        (
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
    yield _grid(
        "Drops the cells in which | Axes that it reads | Because",
        (
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
    yield _grid(
        "Field | Type | Meaning",
        (
            ((md.Code(name),), (md.Code(type_text(kind)),), md.prose(told.get(name, "")))
            for name, kind in table.fields.items()
        ),
    )
    for columns in _shares(table):
        yield _columns(table, columns)
    yield _grid(
        "Row | Mark | Sources | Note",
        (
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
