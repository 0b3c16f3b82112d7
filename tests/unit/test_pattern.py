"""The pattern of the tokens, ready made, is the one that `re` makes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.compile import ROOT
from tvarc.files.cache import Cache
from tvarc.syntax.machine import machine
from tvarc.syntax.pattern import Match, matcher, without_possessives

PATTERN = machine().tables.pattern


def made_of(match: Match) -> object:
    """The compiled pattern whose method *match* is; two are equal if their code is."""
    return match.__self__  # type: ignore[attr-defined]


class Noting(Cache):
    """A cache that lists the keys that were stored: a pattern is stored each time it is made."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder, None)
        self.stored: list[str] = []

    def store(self, key: str, value: object) -> None:
        self.stored.append(key)
        super().store(key, value)


@pytest.fixture
def cache(tmp_path: Path) -> Noting:
    return Noting(str(tmp_path / "tvarc"))


@pytest.mark.parametrize("pattern", [PATTERN, "(?P<a>x)|(y)(?P<b>[é-ü]+)", "", "x{2,}+"])
def test_the_pattern_is_the_one_that_re_makes(pattern: str, cache: Noting) -> None:
    right = re.compile(pattern)
    for one in (None, cache, cache):
        made = made_of(matcher(pattern, one))
        assert isinstance(made, re.Pattern)
        assert made == right
        assert (made.groupindex, made.groups, made.flags) == (
            right.groupindex, right.groups, right.flags,
        )  # fmt: skip
    assert len(cache.stored) == 1


def test_tokens_have_their_names() -> None:
    found = matcher(PATTERN, None)("let a", 0, 5)
    assert found is not None and (found.lastgroup, found.end(), found[0]) == ("NAME", 3, "let")


def test_another_engine_has_another_entry(cache: Noting, monkeypatch: pytest.MonkeyPatch) -> None:
    matcher(PATTERN, cache)
    monkeypatch.setattr("_sre.MAGIC", 1)
    matcher(PATTERN, cache)
    assert len({*cache.stored}) == 2


def test_a_damaged_entry_is_made_again(tmp_path: Path, cache: Noting) -> None:
    right = made_of(matcher(PATTERN, cache))
    (path,) = tmp_path.glob("tvarc/pattern-*")
    path.write_bytes(path.read_bytes()[:-1])
    assert made_of(matcher(PATTERN, cache)) == right
    assert len(cache.stored) == 2


@pytest.mark.parametrize("missing", ["_sre", "re._compiler"])
def test_without_that_engine_re_is_asked(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    assert made_of(matcher(PATTERN, None)) == re.compile(PATTERN)


@pytest.mark.slow
def test_a_python_with_the_fault_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before 3.11.5 no group of the pattern keeps what it has matched, since Python would find the
    wrong end of it; the tokens are the same."""
    here = matcher(PATTERN, None)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "version_info", (3, 11, 4, "final", 0))
        older = matcher(PATTERN, None)
    plain = made_of(older)
    assert plain == re.compile(without_possessives(PATTERN)) != made_of(here)
    assert re.search(r"\)[*+]\+", plain.pattern) is None  # type: ignore[attr-defined]
    for path in (ROOT / "stdlib").glob("*.tvar"):
        text = path.read_text(encoding="utf-8")
        assert list(ends(here, text)) == list(ends(older, text)), path.name


def ends(match: Match, text: str) -> Iterator[tuple[str | None, int]]:
    """Each token of *text*: its terminal, and where it ends."""
    at = 0
    while at < len(text):
        found = match(text, at, len(text))
        assert found is not None
        at = found.end()
        yield found.lastgroup, at
