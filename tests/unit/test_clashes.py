"""Rows and axes of one name, by where the two meet; and files that programs name."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.command import git
from support.compile import codes, compile_text, messages, std_sources
from support.effort import for_each
from tvarc.files.disk import DiskLoader
from tvarc.files.git.commit import Commit, CommitLoader
from tvarc.files.resources import stdlib_dir
from tvarc.text.source import UnreadableSource

TABLE = "facts board (cores: int) { rpi { cores = 4 }, nuc { cores = 8 } }\n"
NAMED = f"{TABLE}axis machine: board\n"


@for_each(
    "text, library, told",
    [
        # own rows, own axes
        ("axis a { a { x = 1 }, b { x = 2 } }", "", ["input.tvar:1:10"]),
        ("axis a { b { x = 1 } }\naxis b = [1, 2]", "", ["input.tvar:1:10"]),
        # rows of a table: those that an axis may have for a value
        (f"{TABLE}axis rpi = [1]\naxis m = board[rpi]", "", ["input.tvar:1:28"]),
        (f"{TABLE}axis rpi = [1]\naxis m = board[nuc]", "", []),
        (f"{TABLE}axis rpi = [1]\naxis m = board", "", ["input.tvar:1:28"]),
        (f"{TABLE}axis rpi = [1]", "", []),
        (f"{NAMED}axis rpi = [1]", "", ["input.tvar:1:28"]),
        # what has no names
        ('axis a = ["a", "b"]\naxis b = [1.0, 2.0]', "", []),
        # an axis of the module, rows of the library
        ('use "./l.tvar"\naxis rpi = [1]', NAMED, ["input.tvar:2:6"]),
        ('use "./l.tvar" as l\naxis rpi = [1]', NAMED, ["input.tvar:2:6"]),
        ('use "./l.tvar"\naxis machine = board[nuc]\naxis rpi = [1]', NAMED, []),
        # rows of the module, an axis of the library
        ('use "./l.tvar"\naxis a { b { x = 1 } }', "axis b = [1, 2]", ["input.tvar:2:10"]),
        ('use "./l.tvar" as l\naxis a { b { x = 1 } }', "axis b = [1, 2]", []),
        # both of the library: told there, once
        ('use "./l.tvar"', "axis a { a { x = 1 } }", ["l.tvar:1:10"]),
    ],
)
def test_rows_that_have_the_name_of_an_axis(text: str, library: str, told: list[str]) -> None:
    made = compile_text(text + "\n", files={"l.tvar": library})
    assert codes(made) == ["E202"] * len(told), messages(made)
    for place in told:
        assert f"--> {place}\n" in messages(made)


def test_rows_and_axes_of_two_libraries_meet_at_the_import() -> None:
    text = 'use "./l.tvar"\nuse "./m.tvar"\n'
    made = compile_text(text, files={"l.tvar": NAMED, "m.tvar": "axis rpi = [1]"})
    assert codes(made) == ["E202"]
    assert "--> input.tvar:2:5\n" in messages(made)


def test_the_library_has_none() -> None:
    modules = [name for name in std_sources() if name != "impossible"]
    made = compile_text("".join(f"use std.{name}\n" for name in modules))
    assert codes(made) == [], messages(made)


# --- files that are named ------------------------------------------------------------------------


@pytest.mark.slow
def test_files_of_a_commit_are_those_that_it_has(tmp_path: Path) -> None:
    git("init", "-q", cwd=tmp_path)
    (tmp_path / "d" / "e").mkdir(parents=True)
    (tmp_path / "d" / "e" / "old").write_text("x")
    (tmp_path / "link").symlink_to("d/e")
    (tmp_path / "dead").symlink_to("nowhere")
    (tmp_path / "out").symlink_to("../x")
    (tmp_path / "ring").symlink_to("ring")
    git("add", ".", cwd=tmp_path)
    git("commit", "-qm", "first", cwd=tmp_path)
    (tmp_path / "d" / "e" / "old").unlink()
    (tmp_path / "new").write_text("x")
    loader = CommitLoader(DiskLoader(stdlib_dir()), Commit(str(tmp_path), "HEAD"), "HEAD")
    for name, kind in (("d/e/old", "file"), ("d", "folder"), ("link", "folder"), (".", "folder")):
        assert loader.kind(f"{tmp_path}/{name}") == kind
    assert loader.commit.kind("link/old") == "file"
    assert loader.kind(stdlib_dir()) == "folder"  # no part of the repository
    for name in ("new", "dead", "out", "ring", "d/e/old/x", "d/none"):
        with pytest.raises(UnreadableSource):
            loader.kind(f"{tmp_path}/{name}")
