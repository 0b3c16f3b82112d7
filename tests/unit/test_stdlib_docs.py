"""`docs/stdlib.md` is what the modules say. UPDATE_DOCS=1 in the environment rewrites it."""

from __future__ import annotations

import os
import re

import pytest

from support.compile import ROOT, std_sources
from support.effort import for_each
from support.library import all_tables, module_tables
from support.stdlib_page import (
    comments_of,
    module_overlays,
    module_recipes,
    stdlib_page,
    type_text,
)
from tvarc.commands.shown import markdown as md
from tvarc.meaning.hir import FieldType

PAGE = ROOT / "docs" / "stdlib.md"


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
