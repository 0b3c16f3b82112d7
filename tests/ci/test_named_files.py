"""`jobs --changed-since`: files that recipes only name, and those that these read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from ci.conftest import change, put
from ci.test_lines import names
from support.command import git

READS = """\
axis n = ["1", "2"]
recipe app { package = pkgs.hello, pin = none
  when n == "1" { attrs { read = nix\"\"\" READS \"\"\" } }
}
recipe needing { package = pkgs.hello, pin = none, needs base = apps, attrs { base = needs.base } }
matrix apps { recipe = app, axes = n, name = "app-{{n}}" }
matrix more { recipe = needing, axes = n, name = "more-{{n}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
FILES = {
    "in/lib/x.nix": "import ./deep/y.nix /* ../../data/other.txt */\n",
    "in/lib/default.nix": "import ./x.nix + (import ../../shared/w.nix)\n",
    "in/lib/deep/y.nix": "builtins.readFile ../../data/z.txt\n",
    "in/lib/plain": "import ./deep/y.nix\n",
    "in/data/z.txt": "z",
    "in/data/other.txt": "./a/b",
    "in/fix.patch": "+++ data/other.txt ./data/other.txt\n",
    "shared/w.nix": 'builtins.readFile ./v.txt + "w"\n',
    "shared/v.txt": "v",
}
COUNTED = [
    ("import ../lib/x.nix", "lib/x.nix", True),
    ("import ../lib/x.nix", "lib/deep/y.nix", True),
    ("import ../lib/x.nix", "data/z.txt", True),
    ("import ../lib/x.nix", "data/other.txt", False),
    ("import ../lib/x.nix", "lib/default.nix", False),
    ("import ../lib/plain", "data/z.txt", True),
    ("import ../lib/link.nix", "data/z.txt", True),
    ("import ../lib", "lib/default.nix", True),
    ("import ../lib", "../shared/w.nix", True),
    ("import ../lib", "../shared/v.txt", True),
    ("import ../lib", "lib/new.nix", True),
    ("import ../lib", "data/other.txt", False),
    ("[ ../fix.patch ]", "fix.patch", True),
    ("[ ../fix.patch ]", "data/other.txt", False),
    ("builtins.readFile ../data/z.txt", "data/z.txt", True),
    ("builtins.readFile ../data/z.txt", "data/other.txt", False),
    ("builtins.pathExists ../data/none", "data/z.txt", False),
    ("builtins.pathExists ../data/none", "data/none", True),
    # What comes together as it is evaluated may be any file of the folder.
    ('builtins.readFile (../data + "/z.txt")', "data/z.txt", True),
    ('builtins.readFile (../data + "/z.txt")', "data/other.txt", True),
    ('builtins.readFile ../data/${"z"}.txt', "data/other.txt", True),
    ('builtins.readFile ../data/${"z"}.txt', "lib/x.nix", False),
    ('"../data/z.txt" # ../data/z.txt', "data/z.txt", False),
]


@pytest.fixture
def reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Commits a program that reads what it is given; its folder is not the repository's own."""

    def commit(reads: str) -> None:
        top = tmp_path / "repository"
        (top / "in" / "lib").mkdir(parents=True)
        (top / "in" / "lib" / "link.nix").symlink_to("deep/y.nix")
        monkeypatch.chdir(top)
        for name, text in {**FILES, "in/variants.tvar": READS.replace("READS", reads)}.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            put(text, name)
        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "one")
        monkeypatch.chdir(top / "in")

    return commit


@pytest.mark.slow
@pytest.mark.parametrize(("reads", "file", "counts"), COUNTED)
def test_a_file_that_nix_text_reads_changed(
    reading: Callable[[str], None], reads: str, file: str, counts: bool
) -> None:
    """By a relative path, itself or through what that imports; and what needs such a variant."""
    reading(reads)
    assert names("--changed-since", "HEAD") == []
    put("changed\n", file)
    assert names("--changed-since", "HEAD") == (["app-1", "more-1"] if counts else [])
    if counts:
        git("add", "-A", "..")
        git("commit", "-qm", "two")
        assert names("--changed-since", "HEAD") == []
        assert names("--changed-since", "HEAD~1") == ["app-1", "more-1"]


def test_a_file_that_went(reading: Callable[[str], None]) -> None:
    reading("import ../lib/x.nix")
    Path("data/z.txt").unlink()
    assert names("--changed-since", "HEAD") == ["app-1", "more-1"]


@pytest.mark.slow
def test_the_folder_of_a_repository_is_read_without_what_git_keeps(
    reading: Callable[[str], None],
) -> None:
    reading('import (../../. + "/in/lib/x.nix")')
    assert names("--changed-since", "HEAD") == []
    put("new", "../new.txt")
    assert names("--changed-since", "HEAD") == ["app-1", "more-1"]


@pytest.mark.slow
@pytest.mark.parametrize("reads", ["import /etc/x.nix", "import ~/x.nix", "import ../../../x.nix"])
def test_what_no_commit_has_counts_as_changed(
    reading: Callable[[str], None], tmp_path: Path, reads: str
) -> None:
    (tmp_path / "x.nix").write_text("1")
    reading(reads)
    assert names("--changed-since", "HEAD") == ["app-1", "more-1"]
    text = Path("variants.tvar").read_text(encoding="utf-8")
    put(change(text, reads, "import ../lib/x.nix"))
    put(reads, "lib/x.nix")
    git("commit", "-qam", "two")
    assert names("--changed-since", "HEAD") == ["app-1", "more-1"]


@pytest.mark.slow
def test_files_that_values_name_are_followed(reading: Callable[[str], None]) -> None:
    """A package by `path(…)` imports files as well."""
    reading("1")
    text = Path("variants.tvar").read_text(encoding="utf-8")
    put(text.replace('nix""" 1 """', 'path("./lib/x.nix")'))
    git("commit", "-qam", "two")
    assert names("--changed-since", "HEAD") == []
    put("changed\n", "data/z.txt")
    assert names("--changed-since", "HEAD") == ["app-1", "more-1"]


def test_another_folder_is_a_state_as_well(reading: Callable[[str], None], tmp_path: Path) -> None:
    reading("import ../lib/x.nix")
    shutil.copytree("..", tmp_path / "old", symlinks=True)
    assert names("--changed-since", str(tmp_path / "old" / "in")) == []
    put("changed\n", "data/z.txt")
    assert names("--changed-since", str(tmp_path / "old" / "in")) == ["app-1", "more-1"]
