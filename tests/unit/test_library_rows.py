"""Rows of the library out of the cache: what is kept is what the modules say, and where it is not,
only time is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.alone import LintsAlone
from support.command import calls
from support.compile import compile_variants
from tvarc.advice.library.prebuilt import KIND, plain, tables_of
from tvarc.advice.library.rows import LibraryRows
from tvarc.advice.library.tables import Library, load_library
from tvarc.advice.lints.facts import Facts
from tvarc.files.cache import Cache, dumped, loaded
from tvarc.files.disk import DiskLoader, MemoryLoader
from tvarc.files.resources import stdlib_dir
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source
from tvarc.values.row_facts import cite
from tvarc.values.value import RowValue, Version, quote

TABLE = """\
facts chips (power: int, label: string?, first: version?, sources: [string]?, old: bool?) {
  one { power = 1, label = "First", sources = ["A-1", "B-2"], old = true }
  two { first = 2.10, power = 0 }
  three { power = 3, label = "zwölf", sources = [], old = false }
}
facts chips-more (label: string) { one { label = "First" } }
"""


def loader(text: str = TABLE) -> MemoryLoader:
    return MemoryLoader({}, {"chips": text})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "tvarc"


@pytest.fixture
def cache(folder: Path) -> Cache:
    return Cache(str(folder), None)


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules that are resolved from now on."""
    load = "tvarc.advice.library.tables.load_module"
    return calls(monkeypatch, load, lambda _, name, *__: name)


def told(rows: tuple[RowValue, ...]) -> str:
    """All that anybody reads of *rows*, kinds of values and order of facts included."""
    return repr([(row.table, row.name, row.span, list(row.facts.items())) for row in rows])


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob(f"{KIND}-*"))


# --- the shipped library ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped() -> Library:
    return load_library(DiskLoader(stdlib_dir()))


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory, shipped: Library) -> Cache:
    """A cache that has the rows of every table."""
    found = Cache(str(tmp_path_factory.mktemp("cache") / "tvarc"), None)
    rows = LibraryRows(DiskLoader(stdlib_dir()), found)
    for name in shipped.tables:
        rows.all(name)
    return found


@pytest.mark.slow
def test_all_rows_of_all_tables(shipped: Library, warm: Cache, resolved: list[str]) -> None:
    rows = LibraryRows(DiskLoader(stdlib_dir()), warm)
    for name, table in shipped.tables.items():
        expected = tuple(table.rows.values())
        assert told(rows.all(name)) == told(expected), name
        assert rows.all(name) == expected
        assert [cite(row) for row in rows.all(name)] == [cite(row) for row in expected]
        for row, other in zip(rows.all(name), expected, strict=True):
            assert {**row.facts} == {**other.facts}
            assert len(row.facts) == len(other.facts) and "no such field" not in row.facts
    assert resolved == []


def test_rows_by_the_text_of_a_field(shipped: Library, warm: Cache, resolved: list[str]) -> None:
    kept = LibraryRows(DiskLoader(stdlib_dir()), warm)
    for name, table in shipped.tables.items():
        for field in {field for row in table.rows.values() for field in row.facts}:
            by_text: dict[str, list[str]] = {}
            for row in table.rows.values():
                value = row.facts[field].value if field in row.facts else None
                text = value.text if isinstance(value, Version) else value
                if isinstance(text, str):
                    by_text.setdefault(text, []).append(row.name)
            for text, names in by_text.items():
                assert [row.name for row in kept.having(name, field, text)] == names
            assert kept.having(name, field, "no such text") == ()
        assert kept.having(name, "no such field", "") == ()
    assert resolved == []


def test_a_row_is_one_object(warm: Cache) -> None:
    """Lints tell rows apart by identity."""
    rows = LibraryRows(DiskLoader(stdlib_dir()), warm)
    (found,) = rows.having("nvidia", "capability", "9.0")
    assert any(row is found for row in rows.all("nvidia"))
    assert rows.having("nvidia", "capability", "9.0")[0] is found
    assert found.facts["capability"] is found.facts["capability"]


def test_lookups_find_what_is_spelled_so(shipped: Library) -> None:
    """Lints look GPUs and toolkits up by their version's text, of which there is one spelling."""
    for name, field in (("nvidia", "capability"), ("cuda-toolkit", "version")):
        for row in shipped.tables[name].rows.values():
            value = row.facts[field].value
            assert isinstance(value, Version)
            major, minor = value.parts
            assert value.text == f"{int(major)}.{int(minor)}"


@pytest.mark.slow
def test_lints_need_no_module(warm: Cache, resolved: list[str]) -> None:
    """All lints of a program find with it what they find without a cache."""
    made = compile_variants()
    recipes = made.recipes()
    resolved.clear()
    kept, cold = (LintsAlone(Facts(LibraryRows(made.loader, one)), ()) for one in (warm, None))
    for recipe in recipes:
        kept.look(recipe)
    assert resolved == []
    for recipe in recipes:
        cold.look(recipe)
    assert kept.causes == cold.causes and resolved


# --- what is kept, and when ---------------------------------------------------------------------


def test_a_module_is_resolved_once(cache: Cache, folder: Path, resolved: list[str]) -> None:
    first = LibraryRows(loader(), cache)
    expected = told(first.all("chips"))
    assert told(first.all("chips")) == expected
    again = LibraryRows(loader(), cache)
    assert told(again.all("chips")) == expected
    assert told(again.having("chips", "first", "2.10")) == told(first.all("chips")[1:2])
    assert [row.name for row in again.all("chips-more")] == ["one"]
    assert resolved == ["chips"]
    assert len(entries(folder)) == 1


def test_another_text_has_another_entry(cache: Cache, folder: Path, resolved: list[str]) -> None:
    LibraryRows(loader(), cache).all("chips")
    changed = LibraryRows(loader(TABLE.replace("power = 3", "power = 4")), cache)
    assert changed.all("chips")[2].facts["power"].value == 4
    assert resolved == ["chips"] * 2 and len(entries(folder)) == 2


def test_without_a_cache_nothing_is_kept(folder: Path, resolved: list[str]) -> None:
    for cache in (None, Cache(None, None)):
        assert len(LibraryRows(loader(), cache).all("chips")) == 3
    assert resolved == ["chips"] * 2 and not folder.exists()


def test_what_came_with_the_compiler_is_read_first(
    cache: Cache, folder: Path, tmp_path: Path, resolved: list[str]
) -> None:
    expected = told(LibraryRows(loader(), cache).all("chips"))
    shipped = LibraryRows(loader(), Cache(None, str(folder)))
    assert told(shipped.all("chips")) == expected
    assert resolved == ["chips"]


@pytest.mark.parametrize(("cache_wanted"), [True, False])
def test_there_are_no_rows_of_no_table(cache: Cache, cache_wanted: bool) -> None:
    rows = LibraryRows(loader(), cache if cache_wanted else None)
    for _ in range(2):
        assert rows.all("chips-none") == rows.all("none") == rows.all("") == ()
        assert rows.having("chips-none", "power", "1") == rows.having("none", "a", "b") == ()
        assert rows.having("chips", "none", "1") == ()


@pytest.mark.parametrize(
    "text",
    [
        "let n = 1\n" + TABLE.replace("power = 1", "power = n"),
        TABLE.replace('"First", sources', '"{{2}}", sources'),
        TABLE.replace("sources: [string]?", "sources: [[string]]?").replace(
            '["A-1", "B-2"]', '[["A-1"], []]'
        ),
        TABLE.replace("power = 3", 'power = "3"'),
        TABLE.replace("two {", "one {"),
        TABLE + "facts chips += { four { power = 4 } }\n",
        TABLE + "facts chips\n",
        "let n = 1\n",
    ],
    ids=["named", "computed", "deep", "fault", "twice", "extended", "unparsed", "none"],
)
def test_what_is_not_kept(cache: Cache, folder: Path, text: str, resolved: list[str]) -> None:
    """What rests on more than the module's text, or has faults, is resolved each time."""
    expected = told(LibraryRows(loader(text)).all("chips"))
    for _ in range(2):
        assert told(LibraryRows(loader(text), cache).all("chips")) == expected
    assert resolved == ["chips"] * 3
    assert entries(folder) == []


def test_a_module_that_cannot_be_parsed_is_kept_in_no_form(cache: Cache, folder: Path) -> None:
    LibraryRows(loader(TABLE + "facts chips\n"), cache).all("chips")
    assert {path.name.partition("-")[0] for path in folder.glob("*")} <= {"tables", "pattern"}


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        lambda data: dumped({}),
    ],
)
def test_what_is_damaged_is_made_again(
    cache: Cache, folder: Path, damage: object, resolved: list[str]
) -> None:
    expected = told(LibraryRows(loader(), cache).all("chips"))
    (path,) = entries(folder)
    data = path.read_bytes()
    path.write_bytes(damage(data))  # type: ignore[operator]
    assert told(LibraryRows(loader(), cache).all("chips")) == expected
    assert path.read_bytes() == data
    assert resolved == ["chips"] * 2


def test_a_shipped_entry_that_is_damaged_costs_time_only(
    cache: Cache, folder: Path, resolved: list[str]
) -> None:
    expected = told(LibraryRows(loader(), cache).all("chips"))
    (path,) = entries(folder)
    path.write_bytes(path.read_bytes()[:-1])
    for _ in range(2):
        shipped = LibraryRows(loader(), Cache(None, str(folder)))
        assert told(shipped.all("chips")) == expected
    assert resolved == ["chips"] * 3


def test_a_module_that_cannot_be_read_has_no_rows(cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "chips.tvar").write_bytes(b"\xff")
    rows = LibraryRows(DiskLoader(str(tmp_path)), cache)
    assert rows.all("chips") == ()


# --- any tables ---------------------------------------------------------------------------------

NAMES = ["a", "b", "c-d", "e1", "sm90"]
TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=6)
VALUES: dict[str, st.SearchStrategy[str]] = {
    "text: string?": TEXTS.map(quote),
    "whole: int?": st.integers(0, 10**12).map(str),
    "truth: bool?": st.sampled_from(["true", "false"]),
    "version: version?": st.sampled_from(["1.0", "12.9.1", "0.20", "2.5"]),
    "texts: [string]?": st.lists(TEXTS.map(quote), max_size=3).map(
        lambda items: f"[{', '.join(items)}]"
    ),
    "versions: [version]?": st.lists(st.sampled_from(["1.0", "2.5"]), max_size=3).map(
        lambda items: f"[{', '.join(items)}]"
    ),
}
FACTS = [*VALUES.items(), *[(field, st.just("null")) for field in VALUES]]


def _field(one: tuple[str, st.SearchStrategy[str]]) -> str:
    return one[0].partition(":")[0]


@st.composite
def tables(draw: st.DrawFn) -> str:
    found = []
    for table in ("chips", "chips-more"):
        rows = []
        for name in draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=3)):
            values = draw(st.lists(st.sampled_from(FACTS), unique_by=_field, max_size=6))
            facts = [f"{_field(one)} = {draw(one[1])}" for one in values]
            rows.append(f"  {name} {{ {', '.join(facts)} }}\n")
        found.append(f"facts {table} ({', '.join(VALUES)}) {{\n{''.join(rows)}}}\n")
    return "".join(found)


@pytest.mark.slow
@given(tables())
def test_what_is_read_is_what_was_written(text: str) -> None:
    source = Source("std/chips.tvar", text)
    library = load_library(loader(text))
    made = plain(parse_module(source, Sink()), library.tables)
    assert made is not None
    found = tables_of(loaded(dumped(made)), source.file)
    assert list(found) == ["chips", "chips-more"]
    for name, table in found.items():
        assert told(table.all()) == told(tuple(library.tables[name].rows.values()))


def test_nothing_in_it_depends_on_who_asks(cache: Cache, folder: Path) -> None:
    """Entries are equal, byte for byte, so two processes may write one at once."""
    LibraryRows(loader(), cache).all("chips-more")
    (path,) = entries(folder)
    data = path.read_bytes()
    path.unlink()
    LibraryRows(loader(), cache).having("chips", "label", "First")
    assert path.read_bytes() == data


# --- what is made of rows ------------------------------------------------------------------------


def test_what_is_made_of_rows_is_kept(cache: Cache, folder: Path) -> None:
    made: list[str] = []

    def make() -> list[str]:
        made.append("once")
        return [row.name for row in LibraryRows(loader(), cache).all("chips")]

    for _ in range(2):
        rows = LibraryRows(loader(), cache)
        assert rows.derived("names", "chips", make) == ["one", "two", "three"]
    assert made == ["once"]
    other = LibraryRows(loader(TABLE.replace("two", "zwei")), cache)
    assert other.derived("names", "chips", lambda: "other") == "other"


def test_what_is_made_of_rows_of_a_program_is_not_kept(cache: Cache, folder: Path) -> None:
    own = {"chips": {row.name: row for row in LibraryRows(loader()).all("chips")[:1]}}
    rows = LibraryRows(loader(), cache, own)
    assert rows.derived("names", "chips", lambda: 1) == 1
    assert rows.derived("names", "chips", lambda: 2) == 2
    assert not list(folder.glob("names-*"))
    assert LibraryRows(loader()).derived("names", "chips", lambda: 3) == 3
