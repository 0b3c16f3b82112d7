"""Files that a person names: read by one reader, which nothing that they hold can hang or fill."""

from __future__ import annotations

import ast
import io
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.command import git, spawn, tvarc
from support.compile import ROOT
from tvarc.commands.explain.recipe_line import NixLog
from tvarc.farm.realise.machines import machines_in
from tvarc.files import disk
from tvarc.files.disk import read_named, read_plain
from tvarc.nix.judge.folder import Held, clear_abandoned
from tvarc.text.source import UnreadableSource

SOURCES = ROOT / "compiler" / "tvarc"

# Who opens files for reading, and of what kind they are: no person names any of these.
OPENS = {
    "files/cache.py": "the cache",
    "commands/line/console.py": "/dev/null",
    "files/disk.py": "the reader itself",
    "files/git/commit.py": "files that it makes",
    "nix/judge/derivation.py": "derivations in Nix's store",
    "nix/judge/evaluate.py": "files that it makes",
    "nix/judge/folder.py": "folders that it makes",
    "nix/judge/machine.py": "/proc/meminfo",
    "nix/judge/nix.py": "files that it makes",
    "files/inventory.py": "the reader of folders of recipes: bounded, plain files only",
    "files/persons.py": "a manifest or a page, opened without waiting",
    "files/output/folders.py": "folders, recipes, and files that it makes, opened without waiting",
    "files/output/plan.py": "recipes, opened without waiting",
    "files/output/record.py": "recipes, opened without waiting",
    "files/output/write.py": "a recipe that it replaces, opened without waiting",
    "farm/ledger.py": "the folder that it locks",
    "farm/realise/logs.py": "logs that it makes",
    "farm/realise/on_host.py": "the environments of processes in /proc",
    "files/resources.py": "files of this program",
}


def _opens(text: str) -> bool:
    if re.search(r"open\(|read_(?:text|bytes)\(", text) is None:
        return False  # to parse it takes much longer
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name("open"):
                return True
            case ast.Attribute(ast.Name("os" | "io" | "codecs"), "open"):
                return True
            case ast.Attribute(_, "read_text" | "read_bytes"):
                return True
            case ast.Attribute(ast.Call(ast.Name("Path")), "open"):
                return True
            case _:
                pass
    return False


@pytest.mark.slow
def test_nothing_else_opens_files() -> None:
    """Whoever reads what a person names calls `read_named` or `read_plain` of `disk.py`."""
    found = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if _opens(path.read_text())
    }
    assert found == OPENS.keys()


def test_a_plain_file_and_its_bounds(tmp_path: Path) -> None:
    path = tmp_path / "machines"
    path.write_bytes(b"ssh://a\n")
    assert read_named(str(path), 8) == b"ssh://a\n"
    with pytest.raises(UnreadableSource, match="larger than 7 bytes"):
        read_named(str(path), 7)
    path.write_bytes(b"a\0b")
    with pytest.raises(UnreadableSource, match="NUL"):
        read_named(str(path), 8)
    assert read_named(str(path), 8, binary=True) == b"a\0b"
    with pytest.raises(UnreadableSource, match="folder"):
        read_named(str(tmp_path), 8)
    with pytest.raises(UnreadableSource, match="neither"):
        read_named("/dev/zero", 8)
    with pytest.raises(UnreadableSource, match="no such file"):
        read_named(str(tmp_path / "none"), 8)
    with pytest.raises(UnreadableSource, match="null"):
        read_named("a\0b", 8)


@pytest.mark.parametrize(
    "read", [lambda path: read_named(path, 8), lambda path: read_plain(path, path)]
)
def test_a_file_of_the_system_that_has_nothing_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[str], bytes]
) -> None:
    """Such as `/proc/kmsg`, which says that it is a regular file."""
    path = tmp_path / "messages"
    path.touch()

    class Empty(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return None  # type: ignore[return-value]

    monkeypatch.setattr(disk, "open", lambda *_, **__: Empty(), raising=False)
    with pytest.raises((UnreadableSource, BlockingIOError), match="unavailable"):
        read(str(path))


@pytest.mark.slow
def test_a_pipe_has_a_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(disk, "PATIENCE", 0.1)
    with pytest.raises(UnreadableSource, match="no program wrote to it"):
        read_named(str(pipe), 8)
    monkeypatch.setattr(disk, "PATIENCE", 30)

    def write() -> None:
        with pipe.open("wb", buffering=0) as stream:
            stream.write(b"one ")
            time.sleep(0.2)
            stream.write(b"two")

    writer = threading.Thread(target=write)
    writer.start()
    assert read_named(str(pipe), 100) == b"one two"
    writer.join()


@pytest.mark.slow
def test_a_list_of_machines_that_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UnreadableSource, match="neither a plain file"):
        machines_in("/dev/zero")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(disk, "PATIENCE", 0.1)
    with pytest.raises(UnreadableSource, match="no program wrote"):
        machines_in(str(pipe))
    many = tmp_path / "many"
    many.write_text("@many\n" * 1000)
    found = machines_in(str(many))
    assert found.machines == [] and found.bad[0].because == "the files name each other"


@pytest.mark.slow
def test_a_nul_in_a_path_costs_no_line_of_a_log(tmp_path: Path) -> None:
    log = b"at /nix/a\0b.nix:1\nerror: x\n" + b"".join(b"line %d\n" % i for i in range(100))
    (tmp_path / "log").write_bytes(log)
    done = spawn("explain", "--nix-log", cwd=tmp_path, shell="< log")
    assert done.stdout == log
    assert done.returncode == 0


def test_a_fault_in_a_remark_costs_no_line_of_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(log: NixLog, line: str) -> list[str]:
        raise ValueError(line)

    monkeypatch.setattr(NixLog, "below", broken)
    told = tvarc("explain", "--nix-log", piped="at /a.nix:1\nerror: x").stdout
    assert told == (
        "at /a.nix:1\n"
        "= tvarc: this line cannot be explained (ValueError)\n"
        "error: x\n"
        "= tvarc: this line cannot be explained (ValueError)\n"
    )


def test_folders_of_killed_runs_are_removed(tmp_path: Path) -> None:
    for name in ("tvarc-nix-old", "tvarc-nix-held", "tvarc-nix-new", "other"):
        (tmp_path / name / "inner").mkdir(parents=True)
        if name != "tvarc-nix-new":
            os.utime(tmp_path / name, (1, 1))
    with Held(str(tmp_path / "tvarc-nix-held")):
        clear_abandoned(str(tmp_path), "tvarc-nix-")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["other", "tvarc-nix-held", "tvarc-nix-new"]


@pytest.mark.slow
def test_a_shallow_clone_is_told_what_to_fetch(tmp_path: Path) -> None:
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    program = "recipe r { package = pkgs.hello, pin = none }\nvariant v { recipe = r }\n"
    git("init", "-q", str(origin))
    for number in range(2):
        (origin / "variants.tvar").write_text(
            f'# {number}\n{program}output o {{ file = "{{{{variant}}}}.nix" }}\n'
        )
        git("-C", str(origin), "add", ".")
        git("-C", str(origin), "commit", "-qm", f"{number}")
    git("clone", "-q", "--depth", "1", f"file://{origin}", str(clone))
    done = spawn("diff", "--against", "HEAD~1", cwd=clone)
    assert b"this clone is shallow" in done.stderr
    assert b"git fetch --unshallow" in done.stderr and b"fetch-depth: 0" in done.stderr
