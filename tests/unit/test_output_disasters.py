"""Disasters while files are written. Every file is wholly old or wholly new, what a person wrote is
still there, and the next run mends the rest."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tvarc.commands.line.exits import EndedFromOutside
from tvarc.files.output import folders, prune, write
from tvarc.files.output.header import OutputFile, seal
from tvarc.files.output.plan import Author, Place, Sweep, WriteMode, WriteReport
from tvarc.files.output.write import write_files
from tvarc.files.persons import rewrite
from tvarc.text.diagnostics.model import Sink

KILLED = 77
MINE = "{ }: by hand\n"
CHANGING = {
    "open", "write", "close", "replace", "rename", "link", "unlink", "mkdir", "rmdir", "fchmod",
    "fsync",
}  # fmt: skip
TAKING_ROOM = {"write", "mkdir", "link", "rename", "replace"}

Act = Callable[[int, Callable[[], Any], tuple[Any, ...]], object]
"""What becomes of a call: its number, the call itself, its arguments."""


class Disk:
    """The module `os`, in which *act* decides what becomes of calls to the functions *names*."""

    def __init__(self, act: Act, *names: str) -> None:
        self.act, self.names, self.calls = act, names or CHANGING, 0

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        if name not in self.names:
            return real

        def call(*args: Any, **named: Any) -> object:
            # To close what was read changes nothing.
            if name == "close" and not fcntl.fcntl(args[0], fcntl.F_GETFL) & os.O_WRONLY:
                return real(*args)
            self.calls += 1
            return self.act(self.calls, partial(real, *args, **named), args)

        return call


def dies(at: int) -> Disk:
    """The process dies before the change with number *at*. If that writes, half of it is written.
    """

    def act(number: int, call: Callable[[], Any], args: tuple[Any, ...]) -> object:
        if number == at:
            if isinstance(args[-1], bytes):
                os.write(args[0], args[1][:100])
            os._exit(KILLED)
        return call()

    return Disk(act)


def ends(at: int) -> Disk:
    """A signal arrives after the change with number *at*."""

    def act(number: int, call: Callable[[], Any], _: object) -> object:
        made = call()
        if number == at:
            raise EndedFromOutside(143)
        return made

    return Disk(act)


def fails(error: BaseException, at: int, *names: str, on: bool = False) -> Disk:
    """The call with number *at* of the functions *names* fails, and with *on* all later ones."""

    def act(number: int, call: Callable[[], Any], _: object) -> object:
        if number == at or (on and number > at):
            raise error
        return call()

    return Disk(act, *names)


def full(at: int) -> Disk:
    """What takes room fails from the call with number *at* on."""
    return fails(OSError(errno.ENOSPC, "No space left on device"), at, *TAKING_ROOM, on=True)


def use(disk: Disk, patch: pytest.MonkeyPatch | None = None) -> Disk:
    """Let all that writes use *disk*; without *patch* for as long as the process lives."""
    for module in (folders, prune, write):
        if patch is not None:
            patch.setattr(module, "os", disk)
        else:
            module.os = disk  # type: ignore[attr-defined]
    return disk


def end(run: Callable[[], object]) -> NoReturn:
    try:
        run()
    except BaseException:
        os._exit(1)
    os._exit(0)


def text(path: str, body: str) -> str:
    head = [f"# {Path(path).stem}: x", "# Made by tvarc from p.tvar: matrix m, recipe r."]
    return seal(head, f"{body} " * 3000 + "\n")


def found(root: Path) -> dict[str, str]:
    """All files below *root*."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_text() for path in files}


def temporaries(root: Path) -> list[Path]:
    return list(root.rglob(".tvarc-*"))


@dataclass(frozen=True)
class Case:
    """A state of files, the state that is written over it, and a file that a person wrote."""

    new: Mapping[str, str]
    old: Mapping[str, str] = field(default_factory=dict)
    hand: str = ""
    mode: WriteMode = WriteMode()
    sweep: Sweep | None = None

    def build(self, root: Path, files: Mapping[str, str]) -> tuple[WriteReport, Sink]:
        sink = Sink()
        given = [OutputFile(path, text(path, body)) for path, body in files.items()]
        return write_files(given, str(root), self.mode, sink, sweep=self.sweep), sink

    def run(self, root: Path) -> tuple[WriteReport, Sink]:
        return self.build(root, self.new)

    def prepare(self, root: Path) -> Path:
        root.mkdir()
        assert not list(self.build(root, self.old)[1])
        if self.hand:
            (root / self.hand).write_text(MINE)
        return root

    def wanted(self) -> dict[str, str]:
        return {path: text(path, body) for path, body in self.new.items()}

    def assert_whole(self, root: Path) -> None:
        here = found(root)
        for path, content in here.items():
            if ".tvarc-" not in path:
                whole = {text(path, files[path]) for files in (self.old, self.new) if path in files}
                assert content in (whole | {MINE} if self.hand in path else whole), path
        if self.hand:
            assert MINE in (here.get(self.hand), here.get(f"{self.hand}.orig"))
            assert {*self.old} & {*self.new} | {self.hand} <= set(here)

    def assert_mended(self, root: Path) -> None:
        assert not list(self.run(root)[1])
        kept = {f"{self.hand}.orig": MINE} if self.hand else {}
        assert found(root) == {**self.wanted(), **kept}


FRESH = Case(dict.fromkeys(["d/a.nix", "d/b.nix", "d/deep/c.nix", "d/deep/d.nix"], "new"))
WHOLE = FRESH.wanted()
OVER = Case(
    {"d/a.nix": "new", "d/b.nix": "new", "d/hand.nix": "new", "d/new.nix": "new"},
    {"d/a.nix": "old", "d/b.nix": "old", "d/gone.nix": "gone", "d/moved.nix": "moved"},
    "d/hand.nix",
    WriteMode(adopt=True),
    Sweep((Place("d", 0),), Author("p.tvar"), remove=True),
)
each_case = pytest.mark.parametrize("case", [FRESH, OVER], ids=["a new folder", "over files"])


# --- at each operation on the disk ----------------------------------------------------------------


@pytest.mark.slow
@each_case
def test_killed_before_each_change(tmp_path: Path, case: Case) -> None:
    for at in range(1, 500):
        root = case.prepare(tmp_path / str(at))
        child = os.fork()
        if not child:
            use(dies(at))
            end(lambda root=root: case.run(root))  # type: ignore[misc]
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended in (0, KILLED)
        case.assert_whole(root)
        case.assert_mended(root)
        if ended == 0:
            break
    assert at > 20  # there are some, and the last run had no more of them
    assert ended == 0


@pytest.mark.slow
@each_case
def test_the_disk_is_full_at_each_point(
    tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(1, 100):
        root = case.prepare(tmp_path / str(at))
        before = set(found(root))
        with monkeypatch.context() as patch:
            use(full(at), patch)
            report, faults = case.run(root)
        case.assert_whole(root)
        assert not temporaries(root)
        if list(faults):
            assert [fault.code for fault in faults] == ["E802"]
            assert "no space left on device" in next(iter(faults)).title
            assert before | set(report.written) <= set(found(root))  # nothing is deleted
        case.assert_mended(root)
        if not list(faults):
            break
    assert at > 5
    assert not list(faults)


@pytest.mark.slow
@each_case
def test_ended_by_a_signal_after_each_change(
    tmp_path: Path, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(1, 200):
        root = case.prepare(tmp_path / str(at))
        with monkeypatch.context() as patch:
            disk = use(ends(at), patch)
            with suppress(EndedFromOutside):
                case.run(root)
        assert not temporaries(root)
        case.assert_whole(root)
        if disk.calls < at:
            break
    assert 10 < at < 199


@pytest.mark.slow
def test_a_source_that_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "variants.tvar"
    for at in range(1, 60):
        file.write_bytes(b"old")
        with monkeypatch.context() as patch:
            disk = use(ends(at), patch)
            with suppress(EndedFromOutside):
                rewrite(str(file), b"old", b"new", Sink())
        assert [path.name for path in tmp_path.iterdir()] == ["variants.tvar"]
        assert file.read_bytes() in (b"old", b"new")
        if disk.calls < at:
            break
    assert 4 < at < 59


@pytest.mark.parametrize("call", ["write", "replace", "fchmod", "close"])
@pytest.mark.parametrize("at", range(1, 5))
def test_failure_leaves_whole_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, at: int
) -> None:
    names = [*WHOLE]
    FRESH.build(tmp_path, dict.fromkeys(names, "old"))
    failing = fails(OSError(errno.ENOSPC, "No space left on device"), at, call)
    with monkeypatch.context() as patch:
        patch.setattr(folders, "os", failing)
        report, sink = FRESH.run(tmp_path)
    (item,) = sink
    assert item.code == "E802" and "no space left on device" in item.title
    assert report.written == tuple(names[: at - 1])
    assert item.notes == (f"{at - 1} of 4 files had been written; the rest is as it was",)
    assert found(tmp_path) == {
        name: text(name, "new" if index < at - 1 else "old") for index, name in enumerate(names)
    }
    report, sink = FRESH.run(tmp_path)
    assert len(sink) == 0 and report.written == tuple(names[at - 1 :])


# --- at any time ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_killed_at_any_time(tmp_path: Path, seed: int) -> None:
    root = OVER.prepare(tmp_path / "root")
    child = os.fork()
    if not child:
        end(lambda: OVER.run(root))
    time.sleep(0.0004 * seed)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    OVER.assert_whole(root)
    OVER.assert_mended(root)


@pytest.mark.slow
def test_two_runs_at_once(tmp_path: Path) -> None:
    """Two programs' states are built again and again by two processes; a third looks on."""
    names = [f"d/{number}.nix" for number in range(6)]
    states = [dict.fromkeys(names, body) for body in ("one", "two")]
    wholes = {name: {text(name, state[name]) for state in states} for name in names}
    OVER.build(tmp_path, states[0])

    def loop(state: Mapping[str, str]) -> None:
        for _ in range(40):
            OVER.build(tmp_path, state)

    children: list[int] = []
    for state in states:
        child = os.fork()
        if not child:
            end(lambda state=state: loop(state))  # type: ignore[misc]
        children.append(child)
    for _ in range(100):
        for name in names:
            assert (tmp_path / name).read_text() in wholes[name]
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
    assert not list(OVER.build(tmp_path, states[1])[1])
    assert found(tmp_path) == {name: text(name, "two") for name in names}


@pytest.mark.parametrize("others", [(), ("a.nix",), ("README",), ("a.nix", "b.nix")])
def test_somebody_else_makes_the_folder_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...]
) -> None:
    real = os.mkdir

    def mkdir(path: str, *given: int) -> None:
        real(path, *given)
        for name in others:
            (tmp_path / "d" / name).write_text(WHOLE.get(f"d/{name}", "mine"))
        monkeypatch.setattr(os, "mkdir", real)
        real(path, *given)  # the one of this run, which comes second

    monkeypatch.setattr(os, "mkdir", mkdir)
    report, sink = FRESH.run(tmp_path)
    assert not list(sink)
    here = found(tmp_path)
    assert here.pop("d/README", "mine") == "mine"
    assert here == WHOLE
    mine = sum(f"d/{name}" in WHOLE for name in others)
    assert (len(report.written), report.unchanged) == (len(WHOLE) - mine, mine)


def test_somebody_else_writes_another_file_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.mkdir

    def mkdir(path: str, *given: int) -> None:
        real(path, *given)
        (tmp_path / "d" / "b.nix").write_text("mine")
        monkeypatch.setattr(os, "mkdir", real)

    monkeypatch.setattr(os, "mkdir", mkdir)
    _, sink = FRESH.run(tmp_path)
    assert [fault.code for fault in sink] == ["E801"]
    assert (tmp_path / "d" / "b.nix").read_text() == "mine"


# --- once -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("root", ["", "made", "made/below"])
def test_all_files_with_their_folders(tmp_path: Path, root: str) -> None:
    report, sink = FRESH.run(tmp_path / root)
    assert not list(sink)
    assert report.written == report.created == tuple(WHOLE)
    assert found(tmp_path / root) == WHOLE


def test_a_folder_that_is_there_keeps_what_is_in_it(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "README").write_text("mine")
    FRESH.run(tmp_path)
    assert found(tmp_path) == {**WHOLE, "d/README": "mine"}


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        folders, "os", Disk(lambda _, __, args: os.write(args[0], args[1][:700]), "write")
    )
    assert len(FRESH.run(tmp_path)[1]) == 0
    assert found(tmp_path) == WHOLE


def test_an_interrupt_leaves_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(folders, "os", fails(KeyboardInterrupt(), 3, "write"))
        with pytest.raises(KeyboardInterrupt):
            FRESH.run(tmp_path)
    assert found(tmp_path) == {name: WHOLE[name] for name in list(WHOLE)[:2]}
    with monkeypatch.context() as patch:
        patch.setattr(folders, "os", fails(KeyboardInterrupt(), 2, "replace"))
        with pytest.raises(KeyboardInterrupt):
            FRESH.build(tmp_path, dict.fromkeys(list(WHOLE)[:2], "other"))
    assert found(tmp_path) == {
        "d/a.nix": text("d/a.nix", "other"), "d/b.nix": WHOLE["d/b.nix"],
    }  # fmt: skip


def test_killed_run_is_cleaned_up_by_the_next(tmp_path: Path) -> None:
    FRESH.run(tmp_path)
    script = (
        "import os, sys\n"
        "from tvarc.files.output import folders\n"
        "os.replace = lambda *_, **__: os._exit(9)\n"
        "folder = os.open(sys.argv[1], os.O_RDONLY)\n"
        "folders.put(folder, folders.temporary_name(), 'a.nix', b'half', None)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "d")], check=False)
    assert killed.returncode == 9
    (left,) = temporaries(tmp_path)
    assert left.suffix == ".tmp"
    (tmp_path / "d" / ".tvarc-999999999.tmp").write_text("x")
    (tmp_path / "d" / f".tvarc-{os.getpid()}.tmp").write_text("x")
    report, sink = FRESH.run(tmp_path)
    assert report.unchanged == 4 and len(sink) == 0
    assert temporaries(tmp_path) == []


def test_what_a_killed_run_has_left_goes_with_the_next_one(tmp_path: Path) -> None:
    file = tmp_path / "variants.tvar"
    file.write_bytes(b"old")
    gone = tmp_path / ".tvarc-0.tmp"  # no process has this number
    gone.write_bytes(b"half")
    assert rewrite(str(file), b"old", b"new", Sink())
    assert not gone.exists()


def test_temporary_of_a_living_run_stays(tmp_path: Path) -> None:
    FRESH.run(tmp_path)
    living = tmp_path / "d" / f".tvarc-{os.getppid()}.tmp"
    living.write_text("x")
    FRESH.build(tmp_path, dict.fromkeys(WHOLE, "other"))
    assert living.exists()


def test_a_folder_that_was_given_the_name_of_a_leftover_is_left_alone(tmp_path: Path) -> None:
    thesis = tmp_path / ".tvarc-0.tmp"
    (thesis / "chapters").mkdir(parents=True)
    (thesis / "chapters" / "1.tex").write_text("mine")
    FRESH.run(tmp_path)
    assert found(tmp_path) == {**WHOLE, ".tvarc-0.tmp/chapters/1.tex": "mine"}


def test_a_link_with_the_name_of_a_leftover_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "keep").write_text("mine")
    root = tmp_path / "root"
    root.mkdir()
    link = root / ".tvarc-999999999.tmp"
    link.symlink_to(outside)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        FRESH.run(root)
    assert link.is_symlink()
    assert (outside / "deep" / "keep").read_text() == "mine"


def test_folder_is_flushed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = fails(OSError(), 0, "fsync")
    monkeypatch.setattr(folders, "os", counted)
    for body in ("old", "new", "new"):
        FRESH.build(tmp_path, {"a.nix": body, "d/b.nix": body})
    assert counted.calls == 4  # two folders in each of two runs


@pytest.mark.parametrize(("code", "told"), [(errno.EINVAL, 0), (errno.EIO, 1)])
def test_flush_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, told: int
) -> None:
    monkeypatch.setattr(folders, "os", fails(OSError(code, os.strerror(code)), 1, "fsync"))
    report, sink = FRESH.build(tmp_path, {"a.nix": "old", "b.nix": "old"})
    assert [item.code for item in sink] == ["E802"] * told
    assert len(report.written) == 2


def test_a_folder_above_that_cannot_be_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(write, "flush_folder", refuse)
    report, sink = FRESH.run(tmp_path)
    assert [fault.code for fault in sink] == ["E802"]
    assert "4 of 4 files had been written" in str(list(sink))
    assert len(report.written) == len(WHOLE)


def test_folder_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "mkdir", refuse)
    report, sink = FRESH.build(tmp_path, {"a.nix": "new", "d/c.nix": "new", "e.nix": "new"})
    (item,) = sink
    assert item.title == "`d/c.nix` cannot be written: permission denied"
    assert report.written == ("a.nix",)


def test_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    FRESH.build(tmp_path, {"a.nix": "old", "b.nix": "old"})
    with monkeypatch.context() as patch:
        failing = fails(OSError(errno.EIO, "Input/output error"), 2, "read")
        patch.setattr(os, "read", failing.read)
        report, sink = FRESH.build(tmp_path, {"a.nix": "new", "b.nix": "new"})
    (item,) = sink
    assert item.code == "E802" and "`b.nix`" in item.title
    assert report.written == ()
    assert found(tmp_path)["a.nix"] == text("a.nix", "old")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_without_permission(tmp_path: Path) -> None:
    FRESH.build(tmp_path, {"a.nix": "old"})
    tmp_path.chmod(0o555)
    try:
        report, sink = FRESH.build(tmp_path, {"a.nix": "new"})
    finally:
        tmp_path.chmod(0o755)
    assert [item.code for item in sink] == ["E802"]
    assert report.written == ()
