"""After any edits, what is taken over and what is parsed anew make the tree that parsing all does,
spans included, and the same faults."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.corpus import WORDS, programs
from support.programs import programs as generated
from tvarc.cache import Cache
from tvarc.diagnostics.model import Sink
from tvarc.source import Source
from tvarc.syntax.kept import module_tree
from tvarc.syntax.parser import parse_module

LONGEST = 6000
SOURCES = [text for text in programs() if 0 < len(text) <= LONGEST]
ITEMS = ("let a = 1\n", "# comment\n", "pin x { }\n\n", 'script p {\n  += "x"\n}\r\n', "\n\n")
INSERTED = st.sampled_from((*WORDS, *ITEMS, "because", 'because "x"', "and b", "{{", "}}", "\0"))


class Remembered(Cache):
    """A cache without a disk."""

    def __init__(self) -> None:
        super().__init__(None, None)
        self.entries: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.entries.get(key)

    def put(self, key: str, data: bytes, *, more: bool = True) -> None:
        self.entries[key] = data


@st.composite
def edits(draw: st.DrawFn, text: str) -> str:
    """*text* after one edit, which is often a right one."""
    lines = text.splitlines(keepends=True)
    match draw(st.integers(0, 7)):
        case 0 if lines:
            first = draw(st.integers(0, len(lines) - 1))
            return "".join(lines[:first] + lines[first + draw(st.integers(1, 3)) :])
        case 1 if lines:
            place = draw(st.integers(0, len(lines)))
            again = draw(st.sampled_from(lines) | st.sampled_from(ITEMS))
            return "".join([*lines[:place], again, *lines[place:]])
        case 2 if lines:
            place = draw(st.integers(0, len(lines) - 1))
            return "".join([*lines[:place], draw(INSERTED), *lines[place:]])
        case 3:
            numbers = [place for place, char in enumerate(text) if "0" <= char <= "9"]
            place = draw(st.sampled_from(numbers)) if numbers else 0
            return text[:place] + draw(st.sampled_from(("", "7", "42"))) + text[place + 1 :]
        case 4:
            return draw(INSERTED) + text
        case 5:
            return text + draw(INSERTED)
        case 6:
            return text.replace("\n", "\r\n") if "\r" not in text else text.replace("\r", "")
        case _:
            start = draw(st.integers(0, len(text)))
            end = min(len(text), start + draw(st.sampled_from((0, 0, 1, 2, 30))))
            return text[:start] + "".join(draw(st.lists(INSERTED, max_size=2))) + text[end:]


def same(text: str, cache: Cache) -> bool:
    """Whether *text* has no faults; its tree is read twice, once made and once kept."""
    source, sink = Source("a.tvar", text), Sink()
    right = repr(parse_module(source, sink))
    for _ in range(2):
        told = Sink()
        assert repr(module_tree(source, told, cache, place="/a.tvar")) == right
        assert repr(list(told)) == repr(list(sink))
    return not len(sink)


def follow(data: st.DataObject, text: str) -> None:
    cache = Remembered()
    same(text, cache)
    for _ in range(data.draw(st.integers(1, 5))):
        after = data.draw(edits(text))
        # What is wrong is most often put right at once.
        if same(after, cache) or data.draw(st.integers(0, 3)) == 0:
            text = after


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_programs(data: st.DataObject) -> None:
    follow(data, data.draw(st.sampled_from(SOURCES)))


@given(st.data(), generated())
@settings(max_examples=150, deadline=None)
def test_generated_programs(data: st.DataObject, text: str) -> None:
    follow(data, text)


THREE = "let a = b\nlet c = d # e\n\nlet f = g\n"


@given(INSERTED, st.integers(0, len(THREE)))
@example('because "x"', 10)
@example("{", 10)
@settings(max_examples=600, deadline=None)
def test_any_place(inserted: str, place: int) -> None:
    cache = Remembered()
    same(THREE, cache)
    for end in range(place, min(place + 4, len(THREE))):
        same(THREE[:place] + inserted + THREE[end:], cache)


@pytest.mark.parametrize("word", ["and c = 1", 'because "x"', "{ }", "else", "# c", "\t{", "\r"])
@pytest.mark.parametrize("item", [0, 1, 2])
def test_a_line_that_goes_on_with_the_one_before(word: str, item: int) -> None:
    lines = THREE.replace("\n\n", "\n").splitlines(keepends=True)
    cache = Remembered()
    for end in ("", "\n"):
        same("".join(lines), cache)
        same("".join([*lines[: item + 1], word + end, *lines[item + 1 :]]), cache)
        same("".join([*lines[:item], word + end, *lines[item + 1 :]]), cache)
