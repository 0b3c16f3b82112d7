"""Rules that every table of the standard library keeps."""

from __future__ import annotations

import base64
import itertools
import re

import pytest

from support.compile import ROOT, VARIANTS, codes, compile_variants, lints, std_sources
from support.effort import for_each
from support.library import all_tables, collected, fact, text, texts
from tvarc.advice.library.relations import listed_sources
from tvarc.meaning import hir
from tvarc.values.value import RowValue, Value, Version

ROWS = [(module, table, row) for module, table in all_tables() for row in table.rows.values()]
SRI = re.compile(r"sha256-[A-Za-z0-9+/]{43}=")
FACT_FILES = {"nvidia": "gpu", "cpu": "isa", "gcc": "isa", "cuda": "cuda", "torch": "torch",
              "nixpkgs": "pins", "amd": "amd"}  # fmt: skip
WITHOUT_TABLES = {"impossible", "torch-build"}


def fields(module: str, suffix: str) -> list[tuple[RowValue, str]]:
    """What is called *suffix*, or ends in it, in the rows of a module, where it is not null."""
    return [
        (row, name)
        for owner, table, row in ROWS
        if owner == module
        for name in table.fields
        if (name == suffix or name.endswith(f"-{suffix}")) and fact(row, name) is not None
    ]


@for_each("module", sorted(std_sources()))
def test_a_module_names_itself_in_its_tables(module: str) -> None:
    """So that a `use` never takes a name that a recipe wants for itself, such as `torch`."""
    names = [table.name for owner, table in all_tables() if owner == module]
    assert bool(names) != (module in WITHOUT_TABLES)
    assert all(name == module or name.startswith(f"{module}-") for name in names)


def test_row_names_are_unique() -> None:
    """A bare name means a row when only one table in scope has it."""
    seen = [row.name for _, _, row in ROWS]
    assert len(seen) == len(set(seen))


def test_every_row_says_where_it_comes_from_and_how_sure_it_is() -> None:
    for module, table, row in ROWS:
        ids = texts(row, "sources")
        assert ids, f"{table.name}.{row.name}"
        named = {re.sub(r"^PR-\d+$", "PR-<number>", id) for id in ids}
        assert named <= listed_sources(std_sources()[module]).keys(), f"{table.name}.{row.name}"
        assert len(ids) == len(set(ids)), f"{table.name}.{row.name}"


def test_marks_are_the_four_everywhere() -> None:
    marks = ("verified", "single", "conflicting", "unsourced")
    for _, table in all_tables():
        added = table.name == "nvidia"  # a row of a program may have two facts only
        mark = hir.FieldType("string", None, added, marks)
        assert table.fields["mark"] == mark, table.name
        sources = hir.FieldType("list", hir.FieldType("string"), added)
        assert table.fields["sources"] == sources, table.name
        assert table.fields["note"] == hir.FieldType("string", optional=True)


def test_a_conflict_or_a_lack_of_sources_is_explained() -> None:
    plain = {"graviton1", "ampere-altra"}  # nothing is known but that nobody is to point at
    for _, table, row in ROWS:
        if text(row, "mark") in ("conflicting", "unsourced") and row.name not in plain:
            assert text(row, "note"), f"{table.name}.{row.name}"


@for_each("module", sorted(FACT_FILES))
def test_sources_are_those_of_the_collected_facts(module: str) -> None:
    known = collected(FACT_FILES[module])["sources"]
    told = listed_sources(std_sources()[module])
    shared = {id: told[id] for id in told if id in known}
    assert shared == {id: known[id] for id in shared}
    if module not in ("gcc",):
        assert known.keys() <= told.keys()


@for_each("module", sorted(std_sources()))
def test_hashes_are_sri(module: str) -> None:
    for row, name in fields(module, "hash"):
        found = text(row, name)
        assert found is not None and SRI.fullmatch(found), f"{row.name}: {name}"
        assert len(base64.b64decode(found.removeprefix("sha256-"))) == 32


@for_each("module", sorted(std_sources()))
def test_commits_are_whole(module: str) -> None:
    for row, name in [*fields(module, "commit"), *fields(module, "rev")]:
        assert re.fullmatch(r"[0-9a-f]{40}", text(row, name) or ""), f"{row.name}: {name}"


def test_no_hash_and_no_commit_stands_for_two_things() -> None:
    found = [
        text(row, name)
        for module in std_sources()
        for kind in ("hash", "commit", "rev")
        for row, name in fields(module, kind)
    ]
    assert len(found) == len(set(found))


def test_rows_stand_in_the_order_of_their_versions() -> None:
    ordered = [("nvidia", "capability"), ("cuda-toolkit", "version"), ("cuda-older", "version"),
               ("torch-release", "version"), ("torch-vision", "version"),
               ("torch-audio", "version"), ("torch-wheel", "torch"), ("torch-minor", "version"),
               ("nixpkgs-torch", "torch")]  # fmt: skip
    tables = {table.name: table for _, table in all_tables()}
    for name, field in ordered:
        values = [fact(row, field) for row in tables[name].rows.values()]
        assert ascending(values), name


def test_lists_of_versions_are_sorted() -> None:
    for _, table, row in ROWS:
        for name in table.fields:
            value = fact(row, name)
            if isinstance(value, tuple) and value and isinstance(value[0], Version):
                strict = name != "update-drivers"  # an update may come with the same driver
                assert ascending(value, strict=strict), f"{table.name}.{row.name}: {name}"


def ascending(values: Value | list[Value], *, strict: bool = True) -> bool:
    assert isinstance(values, tuple | list)
    versions = [value for value in values if isinstance(value, Version)]
    assert len(versions) == len(values)
    return all(
        a.compare(b) < 0 or (not strict and a.compare(b) == 0)
        for a, b in itertools.pairwise(versions)
    )


@pytest.mark.slow
def test_impossible_hosts_are_warned_of_from_facts() -> None:
    source = VARIANTS.read_text(encoding="utf-8")
    (line,) = [
        line for line in source.splitlines() if line.startswith("warn impossible-host = off")
    ]
    compilation = compile_variants(source.replace(line, ""))
    recipes = compilation.recipes()
    assert len(recipes) == 44
    assert (codes(compilation), lints(compilation)) == ([], ["impossible-host"])
    (warning,) = compilation.diagnostics
    assert any(note.startswith("for 8 variants: ") for note in warning.notes)
    plan = compile_variants()
    plan.recipes()
    assert plan.diagnostics == []


def test_the_library_speaks_of_itself_alone() -> None:
    for path in sorted((ROOT / "stdlib").glob("*.tvar")):
        assert not re.search(r"/work|/home|this machine", path.read_text(encoding="utf-8")), path
