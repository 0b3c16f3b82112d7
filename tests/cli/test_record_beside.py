"""A build that finds nothing to do by its record, of a program that writes more than recipes: it
tells what it would without a record, and whatever was done to one of its files it sees."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ci.conftest import EVERY
from support.command import compiled_from_now, put_small, tvarc
from support.library_cache import read_library_once
from tvarc.commands.line import exits

PROGRAM = (
    EVERY
    + """\
output flox-manifest: flox-manifest { file = ".flox/env/manifest.toml", catalog = "team" }
output docs: docs { file = "README.md" }
output in_more: docs { file = "docs/more.md" }
"""
)
FILES = (
    ".flox/env/manifest.toml", "flake.nix", "jobs.jsonl", "README.md",
    ".github/workflows/build.yml", ".github/matrix.json", "docs/more.md",
)  # fmt: skip
WAYS: tuple[tuple[str, ...], ...] = (
    (), ("--check",), ("--dry-run",), ("--json",), ("--prune",), ("--force",), ("--adopt",),
    ("--check", "--json"), ("--dry-run", "--prune"),
)  # fmt: skip


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return compiled_from_now(monkeypatch)


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    put_small(folder, PROGRAM)
    (folder / "README.md").write_text("# Ours\n<!-- tvarc: counts -->\n<!-- tvarc: end -->\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    read_library_once(monkeypatch)
    return folder


def told(*words: str) -> tuple[str, str, int]:
    done = tvarc("build", *words)
    return done.stdout, done.stderr, done.exit_code


@pytest.mark.slow
def test_what_has_not_changed_is_not_compiled_and_is_told_alike(compiled: list[str]) -> None:
    first = told()
    assert first[2] == exits.OK, first
    ordinary = [told("--no-cache", *words) for words in WAYS]
    assert "jobs.jsonl: unchanged" in ordinary[0][0] and "1 part: 0 written" in ordinary[0][0]
    assert "3 entries: 0 added, 3 unchanged" in ordinary[0][0]
    del compiled[:]
    assert [told(*words) for words in WAYS] == ordinary
    assert compiled == []


def test_the_files_of_all_that_a_part_leaves_alone_are_told_of_again(compiled: list[str]) -> None:
    told("--only", "sm90")
    ordinary = told("--only", "sm90", "--no-cache")
    assert "--only does not change pages" in ordinary[0]
    del compiled[:]
    assert told("--only", "sm90") == ordinary
    assert compiled == []


def remove(file: Path) -> None:
    file.unlink()


def append(file: Path) -> None:
    with file.open("a") as out:
        out.write("\n")


def edit(file: Path) -> None:
    """The text of somebody, of the same size."""
    text = file.read_text()
    at = text.index("app-sm") if "app-sm" in text else len(text) - 4
    file.write_text(f"{text[:at]}xyz{text[at + 3 :]}")


def link(file: Path) -> None:
    file.rename(file.with_suffix(".aside"))
    file.symlink_to(file.with_suffix(".aside"))


@pytest.mark.slow
@pytest.mark.parametrize("change", [remove, append, edit, link], ids=lambda one: one.__name__)
@pytest.mark.parametrize("name", FILES)
def test_whatever_was_done_to_a_file_is_seen(
    compiled: list[str], project: Path, name: str, change: Callable[[Path], None]
) -> None:
    assert told()[2] == exits.OK
    change(project / name)
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    del compiled[:]
    as_told = told("--check")
    assert compiled == ["variants.tvar"]
    assert as_told == told("--check", "--no-cache")
    # What was done to what is a person's own is no reason to write anything.
    if as_told[2] == exits.OK:
        assert name in ("README.md", "docs/more.md", ".flox/env/manifest.toml")
    assert before == {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_folder_that_becomes_part_of_a_repository(
    compiled: list[str], project: Path, tmp_path: Path
) -> None:
    assert told()[2] == exits.OK
    assert told()[2] == exits.OK and len(compiled) == 1
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    done = told()
    assert done[2] == exits.FAILED and "error[E808]" in done[1]
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    assert told()[2] == exits.OK


def test_what_would_be_told_otherwise_with_an_option_leaves_no_record(
    compiled: list[str], project: Path
) -> None:
    """An entry of a variant that is gone: `--prune` removes it, and other runs tell of it."""
    told()
    (project / "variants.tvar").write_text(PROGRAM.replace(', sm121 { label = "GB10" }', "")
                                           .replace("gpu == sm121", "false"))  # fmt: skip
    assert told()[2] == exits.OK
    stays = told()
    assert "1 entry has no variant any more" in stays[0]
    assert told() == stays
    assert told("--prune")[2] == exits.OK
    del compiled[:]
    done = told()
    assert compiled == [] and "no variant" not in done[0]


def test_a_run_that_only_looks_leaves_no_record_of_what_is_not_there(
    compiled: list[str], tmp_path: Path
) -> None:
    assert told("--check")[2] == exits.STALE
    assert told("--dry-run")[2] == exits.OK
    assert not list(tmp_path.glob("cache/tvarc/build-*"))
    assert told()[2] == exits.OK
    assert len(list(tmp_path.glob("cache/tvarc/build-*"))) == 1
