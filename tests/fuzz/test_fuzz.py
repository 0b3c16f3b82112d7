"""What once broke something, and as many cases of each generator as take a minute together."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from fuzz.cases import Case, Kind, corpus, keep, program
from fuzz.command import main
from fuzz.generators import GENERATORS, case_of
from fuzz.oracles import Broken, Outcome, check
from fuzz.reduce import failure, reduced, shown, smallest
from support.compile import ROOT
from support.effort import for_each, is_long
from support.nix import requires_nix
from support.recipes import parse_ok

SEED = 1
# A long run of these takes about a minute on one core, and CI runs an eighth of them. They are
# counted and not timed, so a slow machine tries the same.
COUNTS = {"swaps": 240, "typed": 100, "names": 140, "bytes": 140}
# In pieces, so that several processes share the work.
PIECE = 20
PIECES = [
    (name, start)
    for name, count in COUNTS.items()
    for start in range(0, count if is_long() else count // 8, PIECE)
]
CORPUS = tuple(corpus())


@for_each("case", CORPUS)
def test_what_once_broke_something(case: Case) -> None:
    check(case)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "start"), PIECES)
def test_whatever_is_made(name: str, start: int) -> None:
    for number in range(start, start + PIECE):
        case = case_of(name, SEED, number)
        try:
            check(case)
        except Exception as fault:
            again = f"python -m tests.fuzz --only {name} --seed {SEED}"
            text = "\n".join(shown(case))
            raise AssertionError(f"{name} {number} ({again}): {fault}\n{text}") from fault


@cache
def outcome(name: str, number: int) -> Outcome:
    """What comes of a case, for the tests that ask for no more than that."""
    return check(case_of(name, SEED, number))


@pytest.mark.slow
def test_generators_reach_what_they_are_for() -> None:
    assert set(COUNTS) == set(GENERATORS)
    assert sum(outcome("typed", number).files > 0 for number in range(25)) >= 7
    kinds = {case_of("bytes", SEED, number).kind for number in range(40)}
    assert kinds == set(Kind)
    for name in GENERATORS:
        assert case_of(name, 1, 2) == case_of(name, 1, 2) != case_of(name, 2, 2)


@pytest.mark.slow
@pytest.mark.nix
@requires_nix
def test_real_nix_parses_what_is_emitted(tmp_path: Path) -> None:
    texts = [
        text
        for name in ("typed", "names")
        for number in range(40)
        for text in outcome(name, number).nix[:20]
    ]
    paths = [tmp_path / f"{number}.nix" for number, _ in enumerate(texts)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    assert len(paths) >= 30
    assert parse_ok(paths)


@pytest.mark.slow
def test_other_processes_make_the_same() -> None:
    """Strings have other hashes there than in this process."""
    told = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "--digests", "6", "--seed", str(SEED)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    cases = [(name, number) for name in GENERATORS for number in range(6)]
    assert told == [f"{name} {number} {outcome(name, number).digest}" for name, number in cases]


# --- the machinery -------------------------------------------------------------------------------


def test_what_raises_is_told_by_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    case = program("let a = 1\nlet boom = 2\nrecipe r { package = pkgs.hello }\n")
    assert failure(case) == ""

    def broken(one: Case) -> Outcome:
        if b"boom" in one.data:
            raise Broken("nothing booms", "it does")
        if b"hello" in one.data:
            raise KeyError
        return Outcome((), 0, (), "")

    monkeypatch.setattr("fuzz.reduce.check", broken)
    assert failure(case) == "nothing booms"
    assert reduced(case, "nothing booms").data == b"boom"
    assert failure(program("hello")) == "KeyError in a test"


def test_the_smallest_is_found_within_few_tries() -> None:
    tries = []

    def fails(data: bytes) -> bool:
        tries.append(data)
        return b"x" in data and b"y" in data

    assert smallest(b"a x b\n" * 50 + b"c y d\n" * 50, fails) == b"xy"
    assert smallest(b"a x y", fails, most=1) == b"a x y"
    assert len(tries) < 300


def test_the_corpus_never_loses_a_case(tmp_path: Path) -> None:
    first = keep(program("a"), "one", tmp_path)
    second = keep(program("b"), "one", tmp_path)
    assert [path.name for path in (first, second)] == ["one.tvar", "one-2.tvar"]
    assert [case.data for case in corpus(tmp_path)] == [b"b", b"a"]


@pytest.mark.slow
def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.environ["XDG_CACHE_HOME"])
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)
    assert main(["--seconds", "0", "--only", "typed"]) == 0
    assert "0 typed; 0 ways to fail" in capsys.readouterr().out
