"""After an edit only what it touched is parsed, and what is kept of it is small and never wrong."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tvarc.cache import Cache
from tvarc.diagnostics.model import Sink
from tvarc.packed import pack, unpack
from tvarc.source import Source
from tvarc.syntax import kept
from tvarc.syntax.kept import module_tree
from tvarc.syntax.parser import Items, parse_module
from tvarc.syntax.tree_reading import read_tree
from tvarc.syntax.tree_writing import write_tree

PLACE = "/home/me/variants.tvar"
LINES = [f'let name{number} = f(["text", {number}], a = {{ b = c }})\n' for number in range(20)]
TEXT = "".join(LINES)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "tvarc"


@pytest.fixture
def cache(folder: Path) -> Cache:
    return Cache(str(folder), None)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is parsed from now on: `all`, or the text of an item."""
    found: list[str] = []
    whole, one = kept._parsed, Items.after

    def parse(source: Source, sink: Sink, cache: Cache | None) -> object:
        found.append("all")
        return whole(source, sink, cache)

    def after(items: Items, at: int) -> object:
        read = one(items, at)
        if read is not None:
            span = read[0].span
            found.append(items._reader._source.text[span.start : span.end])
        return read

    monkeypatch.setattr(kept, "_parsed", parse)
    monkeypatch.setattr(Items, "after", after)
    yield found


def tree(cache: Cache, text: str, place: str = PLACE) -> None:
    source, sink, told = Source("a.tvar", text), Sink(), Sink()
    right = parse_module(source, sink)
    assert repr(module_tree(source, told, cache, place=place)) == repr(right)
    assert repr(list(told)) == repr(list(sink))


def changed(number: int, line: str) -> str:
    return "".join([*LINES[:number], line, *LINES[number + 1 :]])


def entry(folder: Path, kind: str) -> Path:
    (found,) = folder.glob(f"{kind}-*")
    return found


# --- what is parsed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (changed(5, "let five = 5\n"), ["let five = 5"]),
        (changed(0, "let zero = 5\n"), ["let zero = 5"]),
        (changed(19, "let last = 5\n"), [LINES[18].strip(), "let last = 5"]),
        (changed(5, "let a = 1\nlet b = 2\n"), ["let a = 1", "let b = 2"]),
        (changed(5, ""), []),
        ("# why\n" + TEXT, [LINES[0].strip()]),
        (TEXT + "let more = 1\n", [LINES[19].strip(), "let more = 1"]),
        (changed(5, LINES[5] + "\n\n# why\n"), [LINES[5].strip()]),
        (changed(5, LINES[5].replace("5]", "55]")), [LINES[5].replace("5]", "55]").strip()]),
        (TEXT.replace("\n", "\r\n"), ["all"]),
    ],
)
def test_what_is_parsed(cache: Cache, parsed: list[str], text: str, expected: list[str]) -> None:
    tree(cache, TEXT)
    parsed.clear()
    tree(cache, text)
    read = [item for item in parsed if item in expected]
    assert read == expected or expected == ["all"]
    assert len(parsed) <= len(expected) + 2 or expected == ["all"]
    parsed.clear()
    tree(cache, text)
    assert parsed == []


def test_edits_far_apart_do_not_add_up(cache: Cache, parsed: list[str]) -> None:
    tree(cache, TEXT)
    lines = list(LINES)
    for number in (2, 17, 2, 9):
        lines[number] = f"let other{number} = {len(parsed)}\n"
        parsed.clear()
        tree(cache, "".join(lines))
        assert 1 <= len(parsed) <= 2 and "all" not in parsed


def test_a_fault_put_right_costs_one_item(cache: Cache, parsed: list[str]) -> None:
    tree(cache, TEXT)
    tree(cache, changed(7, "let = \n"))
    parsed.clear()
    tree(cache, changed(7, "let seven = 7\n"))
    assert "let seven = 7" in parsed and "all" not in parsed


def test_each_place_has_its_own(cache: Cache, parsed: list[str]) -> None:
    tree(cache, TEXT)
    tree(cache, "let other = 1\n", place="/home/me/other.tvar")
    parsed.clear()
    tree(cache, changed(3, "let three = 3\n"))
    assert "all" not in parsed


# --- what is kept -------------------------------------------------------------------------------


def test_what_is_kept_is_one_record(cache: Cache, folder: Path) -> None:
    tree(cache, TEXT)
    before = entry(folder, "tree").read_bytes()
    sizes = []
    for value in range(30):
        tree(cache, changed(4, f"let four = {value + 10}\n"))
        sizes.append(entry(folder, "edited").stat().st_size)
    assert entry(folder, "tree").read_bytes() == before
    assert len(set(sizes)) == 1 and sizes[0] < len(TEXT) + 2000
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_when_little_is_left_all_is_kept_anew(cache: Cache, folder: Path) -> None:
    tree(cache, TEXT)
    lines = list(LINES)
    for number in range(20):
        lines[number] = LINES[number].replace("text", "other text")
        tree(cache, "".join(lines))
    assert 2 <= len(list(folder.glob("tree-*"))) <= 6


@pytest.mark.parametrize("kind", ["tree", "edited"])
@pytest.mark.parametrize(
    "damage",
    [
        None,
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        lambda data: pack([], []),
        lambda data: pack([0, 0, 0, 0, 0, 0], ["", ""]),
        lambda data: pack([1, 0, 0, 2, 0, 9, 0], [TEXT, "tree-0"]),
        lambda data: pack([1, 0, 0, 2, 0, 9, 0], [TEXT, "../tree-0"]),
    ],
)
def test_what_is_damaged_is_parsed_again(
    cache: Cache, folder: Path, parsed: list[str], kind: str, damage: object
) -> None:
    tree(cache, TEXT)
    tree(cache, changed(4, "let four = 4\n"))
    path = entry(folder, kind)
    data = path.read_bytes()
    path.unlink()
    if damage is not None:
        path.write_bytes(damage(data))  # type: ignore[operator]
    parsed.clear()
    tree(cache, changed(4, "let four = 4\n"))
    assert parsed == ["all"]
    parsed.clear()
    tree(cache, changed(4, "let four = 5\n"))
    assert "let four = 5" in parsed and "all" not in parsed


def test_whatever_the_numbers_say_it_is_a_tree(cache: Cache, folder: Path) -> None:
    tree(cache, TEXT)
    text = changed(4, "let four = 4\n")
    tree(cache, text)
    source = Source("a.tvar", text)
    path = entry(folder, "edited")
    numbers, texts = unpack(path.read_bytes())
    for place in range(len(numbers)):
        for value in {0, numbers[place] + 1, max(numbers[place], 1) - 1, 2**31}:
            path.write_bytes(pack([*numbers[:place], value, *numbers[place + 1 :]], texts))
            found = module_tree(source, Sink(), cache, place=PLACE)
            assert len({id(item) for item in found.items}) == len(found.items)
            assert repr(read_tree(*write_tree(found), source)) == repr(found)
            (folder / cache.key("tree", text)).unlink(missing_ok=True)


def test_a_record_that_does_not_fit_its_base_is_none(
    cache: Cache, folder: Path, parsed: list[str]
) -> None:
    tree(cache, "\n" + TEXT, place="/home/me/other.tvar")
    other = entry(folder, "tree").name
    text = changed(4, "let four = 4\n")
    tree(cache, TEXT)
    tree(cache, text)
    path = folder / cache.key("edited", PLACE)
    numbers, texts = unpack(path.read_bytes())
    assert texts[1] != other
    path.write_bytes(pack(numbers, [texts[0], other, *texts[2:]]))
    parsed.clear()
    tree(cache, text)
    assert parsed == ["all"]


def test_many_at_once(cache: Cache) -> None:
    tree(cache, TEXT)
    texts = [changed(number % 7, f"let other = {number}\n") for number in range(40)]
    wrong: list[BaseException] = []

    def work(text: str) -> None:
        try:
            tree(cache, text)
        except BaseException as fault:
            wrong.append(fault)

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_long_text_is_read_with_the_pattern(cache: Cache) -> None:
    long = TEXT * 80
    tree(cache, long)
    tree(cache, long.replace("name3 ", "three "))
    tree(cache, long[:300] + long[400:])
