"""What is slow is left out by hand and told of; it runs where all of it is wanted."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.compile import ROOT
from support.effort import LONG, SLOW, examples, for_each, sampled, thorough
from support.library_cache import KEPT, LibraryCache

APART = ("CI", "UPDATE_DOCS", SLOW, LONG)
FILE = "tests/test_release.py"
TEST = f"{FILE}::test_a_rehearsal_leaves_four_files"


def collected(*words: str, **more: str) -> str:
    known = {name: text for name, text in os.environ.items() if name not in APART}
    environment = {**known, **more, "PYTEST_ADDOPTS": "", "PYTEST_XDIST_WORKER": ""}
    environment.pop("PYTEST_XDIST_WORKER")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "more", "there"),
    [
        ((FILE,), {}, False),
        ((FILE,), {"CI": "true"}, True),
        ((FILE, "--slow"), {}, True),
        ((FILE, "-m", "slow"), {}, True),
        ((FILE, "--snapshot-update"), {}, True),
        ((FILE,), {"UPDATE_DOCS": "1"}, True),
        ((TEST,), {}, True),
    ],
)
def test_what_is_left_out(words: tuple[str, ...], more: dict[str, str], there: bool) -> None:
    told = collected("--collect-only", *words, **more)
    assert (TEST in told) is there
    assert ("1 slow tests were left out" in told) is not there


@pytest.mark.slow
def test_processes_that_share_the_work_tell_it_once() -> None:
    told = collected(FILE, "-n", "2", "-k", "changelog or rehearsal")
    assert told.count("1 slow tests were left out") == 1


def test_a_snapshot_of_what_is_left_out_is_not_called_unused(pytestconfig: pytest.Config) -> None:
    """A person deletes what is called so. Syrupy has seen all tests before slow ones go."""
    called = reversed(pytestconfig.hook.pytest_collection_modifyitems.get_hookimpls())
    names = [Path(one.plugin_name).name for one in called]
    assert names.index("syrupy") < names.index("conftest.py")


def test_how_much_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (SLOW, LONG):
        monkeypatch.delenv(name, raising=False)
    for text, in_ci in (("", False), ("false", False), ("true", True), ("1", True)):
        monkeypatch.setenv("CI", text)
        assert thorough() is in_ci
    monkeypatch.delenv("CI")
    monkeypatch.setenv(SLOW, "1")
    assert thorough() and (examples(12), examples(96)) == (5, 6)
    monkeypatch.setenv(LONG, "1")
    assert thorough() and examples(12) == 12


def test_one_in_so_many_is_not_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LONG, raising=False)
    found = sampled("abcde", 2)
    assert [one.values for one in found] == [("a",), ("b",), ("c",), ("d",), ("e",)]
    assert [bool(one.marks) for one in found] == [False, True, False, True, False]
    (pair,) = sampled([(1, 2)], several=True)
    assert pair.values == (1, 2)


def test_only_a_long_run_has_all_of_what_is_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(LONG, raising=False)
    found = sampled("abcdefg", 3, ci=2)
    assert [one.values for one in found] == [("a",), ("c",), ("d",), ("e",), ("g",)]
    monkeypatch.setenv(LONG, "1")
    assert thorough() and len(sampled("abcdefg", 3, ci=2)) == 7


def test_there_is_one_process_more_than_cores(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_XDIST_AUTO_NUM_WORKERS", "4")
    assert pytestconfig.hook.pytest_xdist_auto_num_workers(config=pytestconfig) == 5


def test_a_run_finds_what_an_earlier_one_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the library, and of nothing else."""
    monkeypatch.setenv(KEPT, str(tmp_path))
    for kind in ("tables", "build"):
        LibraryCache().put(f"{kind}-0", b"read")
    assert [LibraryCache().get(f"{kind}-0") for kind in ("tables", "build")] == [b"read", None]


@pytest.mark.slow
@pytest.mark.parametrize(("text", "valid"), [("https://example.org/é", True), ("a b", False)])
def test_schemas_judge_addresses(text: str, valid: bool) -> None:
    """Although the parser of addresses is loaded late."""
    checker = pytest.importorskip("jsonschema").Draft202012Validator.FORMAT_CHECKER
    assert checker.conforms(text, "iri") is valid


def test_a_table_is_one_test_that_lists_each_row_that_fails(tmp_path: Path) -> None:
    tried: list[int] = []

    @for_each("number, even", [(1, False), (2, False), (3, False), (4, False)])
    def test_numbers(number: int, even: bool, tmp_path: Path) -> None:
        tried.append(number)
        assert tmp_path.is_dir() and (number % 2 == 0) is even

    assert [*inspect.signature(test_numbers).parameters] == ["tmp_path"]
    with pytest.raises(ExceptionGroup, match="2 rows fail") as raised:
        test_numbers(tmp_path=tmp_path)
    assert tried == [1, 2, 3, 4]
    notes = [one.__notes__[-1] for one in raised.value.exceptions]
    assert notes == ["row: (2, False)", "row: (4, False)"]


@pytest.mark.parametrize(("ci", "count"), [("true", 20), ("", 3)])
def test_a_part_of_a_table_is_tried_by_hand(
    monkeypatch: pytest.MonkeyPatch, ci: str, count: int
) -> None:
    for name in (SLOW, LONG):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CI", ci)
    tried: list[int] = []
    for_each("number", range(20), every=8)(lambda number: tried.append(number))()
    assert len(tried) == count
