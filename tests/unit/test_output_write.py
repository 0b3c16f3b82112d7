"""Writing: only what changed, only over what is ours."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tvarc.files.output.header import OutputFile, seal
from tvarc.files.output.plan import Protected, WriteMode, WriteReport
from tvarc.files.output.write import write_files
from tvarc.text.diagnostics.model import CompilerBug, Diagnostic, Sink


def recipe(body: str) -> str:
    return seal(["# Made by tvarc."], body + "\n")


def run(
    root: Path,
    files: dict[str, str],
    *,
    check: bool = False,
    force: bool = False,
    sources: tuple[str, ...] = (),
) -> tuple[WriteReport, Sink]:
    sink = Sink()
    given = [OutputFile(path, text) for path, text in files.items()]
    report = write_files(
        given, str(root), WriteMode(check, force), sink, protected=Protected(sources)
    )
    return report, sink


def codes(sink: Sink) -> list[str]:
    return [item.code for item in sink]


def snapshot(root: Path) -> dict[str, tuple[bytes, int, int]]:
    """Each file below *root* with its bytes, inode and time of change."""
    found = {}
    for path in sorted(root.rglob("*")):
        if path.is_file():
            here = path.stat()
            name = path.relative_to(root).as_posix()
            found[name] = (path.read_bytes(), here.st_ino, here.st_mtime_ns)
    return found


def test_writes_counts_and_then_leaves_alone(tmp_path: Path) -> None:
    files = {".flox/pkgs/a.nix": recipe("a"), ".flox/pkgs/b.nix": recipe("ü"), "flake.nix": "# x\n"}
    report, sink = run(tmp_path, files)
    assert codes(sink) == []
    assert report == WriteReport(tuple(files), tuple(files), 0)
    assert {name: data.decode() for name, (data, _, _) in snapshot(tmp_path).items()} == files
    before = snapshot(tmp_path)
    report, _ = run(tmp_path, files)
    assert report == WriteReport((), (), 3)
    assert snapshot(tmp_path) == before


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    run(tmp_path, {"a.nix": recipe("a"), "b.nix": recipe("b")})
    before = snapshot(tmp_path)
    report, sink = run(tmp_path, {"a.nix": recipe("a"), "b.nix": recipe("B"), "c.nix": recipe("c")})
    assert codes(sink) == []
    assert report == WriteReport(("b.nix", "c.nix"), ("c.nix",), 1)
    after = snapshot(tmp_path)
    assert after["a.nix"] == before["a.nix"]
    assert after["b.nix"][0].decode() == recipe("B")


def test_other_files_stay(tmp_path: Path) -> None:
    (tmp_path / "mine.nix").write_text("{ }")
    run(tmp_path, {"old.nix": recipe("a")})
    run(tmp_path, {"new.nix": recipe("a")})
    assert set(snapshot(tmp_path)) == {"mine.nix", "new.nix", "old.nix"}


def test_check_writes_nothing(tmp_path: Path) -> None:
    run(tmp_path, {"a.nix": recipe("a")})
    (tmp_path / ".tvarc-x.tmp").write_text("left")
    before = snapshot(tmp_path)
    report, sink = run(
        tmp_path, {"a.nix": recipe("A"), "n/b.nix": recipe("b"), "c": "c"}, check=True
    )
    assert codes(sink) == []
    assert report == WriteReport(("a.nix", "n/b.nix", "c"), ("n/b.nix", "c"), 0)
    assert snapshot(tmp_path) == before
    assert not (tmp_path / "n").exists()


def test_root_is_made(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "root"
    report, sink = run(root, {"a.nix": recipe("a")}, check=True)
    assert report.written == ("a.nix",)
    assert not root.exists()
    report, sink = run(root, {"a.nix": recipe("a")})
    assert codes(sink) == []
    assert (root / "a.nix").exists()


def test_root_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    _, sink = run(tmp_path / "link", {"a.nix": recipe("a")})
    assert codes(sink) == []
    assert (tmp_path / "real" / "a.nix").exists()


def test_a_root_that_is_a_link_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for root in (tmp_path / "loop", tmp_path / "loop" / "below"):
        _, sink = run(root, {"a.nix": recipe("a"), "b/c.nix": recipe("c")})
        assert codes(sink) == ["E802"]
        (fault,) = sink
        assert fault.title == f"`{root}` cannot be written: too many levels of symbolic links"


def test_foreign_and_edited_files_stop_the_run(tmp_path: Path) -> None:
    run(tmp_path, {"edited.nix": recipe("a"), "ours.nix": recipe("a")})
    edited = tmp_path / "edited.nix"
    edited.write_text(edited.read_text() + "# tweak\n")
    (tmp_path / "mine1.nix").write_text("{ }")
    (tmp_path / "mine2.nix").write_bytes(b"\xff\xfe")
    before = snapshot(tmp_path)
    names = ["ours.nix", "edited.nix", "mine1.nix", "mine2.nix", "new.nix"]
    files = {name: recipe("b") for name in names}
    for check in (True, False):
        report, sink = run(tmp_path, files, check=check)
        assert report == WriteReport((), (), 0)
        assert codes(sink) == ["E801", "E801"]
        told = [item.title + " ".join(item.notes) for item in sink]
        assert "`edited.nix`" in told[0]
        assert "mine1.nix" in told[1]
        assert "mine2.nix" in told[1]
        assert all("--force" in item.help for item in sink)
        assert snapshot(tmp_path) == before
    report, sink = run(tmp_path, files, force=True)
    assert codes(sink) == []
    assert report.written == tuple(names)
    assert report.created == ("new.nix",)
    assert {data.decode() for data, _, _ in snapshot(tmp_path).values()} == {recipe("b")}


def meanwhile(files: dict[str, str], happens: Callable[[], object]) -> Iterator[OutputFile]:
    """*files*, and then what *happens* after they have been compared and before they are
    written."""
    for path, text in files.items():
        yield OutputFile(path, text)
    happens()


def test_what_another_run_wrote_meanwhile_is_right(tmp_path: Path) -> None:
    run(tmp_path, {"a.nix": recipe("1")})
    after = {"a.nix": recipe("2"), "b.nix": recipe("2"), "c.nix": recipe("2")}

    def other() -> None:
        run(tmp_path, {"a.nix": after["a.nix"], "b.nix": after["b.nix"]})

    sink = Sink()
    given = meanwhile(after, other)
    report = write_files(given, str(tmp_path), WriteMode(), sink)
    assert codes(sink) == []
    assert (report.written, report.created, report.unchanged) == (("c.nix",), ("c.nix",), 2)
    assert {name: found[0].decode() for name, found in snapshot(tmp_path).items()} == after


def test_what_a_person_wrote_meanwhile_stays(tmp_path: Path) -> None:
    run(tmp_path, {"a.nix": recipe("1")})
    after = {"a.nix": recipe("2"), "b.nix": recipe("2"), "c.nix": recipe("2"), "d.nix": "x"}

    def person() -> None:
        for name in ("a.nix", "b.nix"):
            (tmp_path / name).write_text("mine")
        (tmp_path / "c.nix").symlink_to("a.nix")

    sink = Sink()
    given = meanwhile(after, person)
    report = write_files(given, str(tmp_path), WriteMode(), sink)
    assert codes(sink) == ["E801"]
    assert (report.written, report.unchanged) == (("d.nix",), 0)
    assert {(tmp_path / name).read_text() for name in ("a.nix", "b.nix", "c.nix")} == {"mine"}


def test_equal_foreign_file_is_unchanged(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    report, sink = run(tmp_path, {"a.json": "{}"})
    assert codes(sink) == []
    assert report == WriteReport((), (), 1)


def test_many_foreign_files_are_one_message(tmp_path: Path) -> None:
    files = {f"f{number}.nix": recipe("a") for number in range(60)}
    for name in files:
        (tmp_path / name).write_text("{ }")
    _, sink = run(tmp_path, files)
    (item,) = sink
    assert item.title.startswith("60 files")
    assert item.notes[0].endswith("  f49.nix\n  and 10 more")


@pytest.mark.parametrize(
    "path",
    ["/etc/a", "../a", "a/../../b", "..", "", ".", "./a", "a//b", "a/", "a\0b", "\ud800"],
)
@pytest.mark.parametrize("force", [False, True])
def test_paths_not_plainly_below_the_root(tmp_path: Path, path: str, force: bool) -> None:
    root = tmp_path / "root"
    root.mkdir()
    report, sink = run(root, {"good.nix": recipe("a"), path: recipe("a")}, force=force)
    assert codes(sink) == ["E803"]
    assert report.written == ()
    assert snapshot(tmp_path) == {}


@pytest.mark.parametrize(
    "path", ["a b.nix", "...", "..a", "-rf", "q'\"$x.nix", "new\nline", "漢/é.nix", "~", "\\", "*"]
)
def test_odd_names_are_names(tmp_path: Path, path: str) -> None:
    report, sink = run(tmp_path, {path: recipe("a")})
    assert codes(sink) == []
    assert list(snapshot(tmp_path)) == [path]
    assert report.written == (path,)


def test_links_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "root"
    (root / "dir").mkdir(parents=True)
    (root / "link").symlink_to(outside)
    (root / "dir" / "file.nix").symlink_to(outside / "target.nix")
    (root / "dangling.nix").symlink_to("nowhere")
    paths = ["good.nix", "link/a.nix", "link/sub/b.nix", "dir/file.nix", "dangling.nix"]
    report, sink = run(root, {path: recipe("a") for path in paths}, force=True)
    (item,) = sink
    assert item.code == "E803"
    assert item.notes == ("they are:\n  link\n  dir/file.nix\n  dangling.nix",)
    assert report.written == ()
    assert list(outside.iterdir()) == []
    assert not (root / "good.nix").exists()


def test_folders_and_special_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for path in ("folder", "pipe"):
        _, sink = run(tmp_path, {path: recipe("a")}, force=True)
        assert codes(sink) == ["E803"]


def test_sources_are_never_overwritten(tmp_path: Path) -> None:
    source = tmp_path / "a.tvar"
    source.write_text("let a = 1")
    (tmp_path / "second.tvar").hardlink_to(source)
    real = os.path.realpath(source)
    for path in ("a.tvar", "second.tvar"):
        _, sink = run(tmp_path, {path: recipe("a")}, force=True, sources=(real,))
        assert codes(sink) == ["E803"]
    gone = os.path.realpath(tmp_path / "gone.tvar")
    _, sink = run(tmp_path, {"gone.tvar": recipe("a")}, sources=(gone,))
    assert codes(sink) == ["E803"]
    assert source.read_text() == "let a = 1"


def test_one_path_twice_or_also_a_folder(tmp_path: Path) -> None:
    sink = Sink()
    twice = [OutputFile("a", "1"), OutputFile("a", "2")]
    write_files(twice, str(tmp_path), WriteMode(), sink)
    assert codes(sink) == ["E402"]
    _, sink = run(tmp_path, {"a": "1", "a/b/c": "2"})
    assert codes(sink) == ["E802"]
    assert list(tmp_path.iterdir()) == []


def test_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "dir").write_text("x")
    report, sink = run(tmp_path, {"good.nix": recipe("a"), "dir/sub/a.nix": recipe("a")})
    (item,) = sink
    assert item.code == "E802"
    assert "not a directory" in item.title
    assert report.written == ()
    assert not (tmp_path / "good.nix").exists()
    _, sink = run(tmp_path / "dir", {"a.nix": recipe("a")}, check=True)
    assert codes(sink) == ["E802"]


def test_name_too_long(tmp_path: Path) -> None:
    _, sink = run(tmp_path, {"n" * 300: recipe("a")})
    (item,) = sink
    assert item.code == "E802"
    assert "file name too long" in item.title


def test_error_while_the_files_are_made_stops_the_writing(tmp_path: Path) -> None:
    sink = Sink()

    def files() -> Iterator[OutputFile]:
        yield OutputFile("a.nix", recipe("a"))
        sink.add(Diagnostic("E301", "wrong type"))

    report = write_files(files(), str(tmp_path), WriteMode(), sink)
    assert report.written == ()
    assert list(tmp_path.iterdir()) == []


def test_progress_counts_up(tmp_path: Path) -> None:
    told: list[int] = []
    files = [OutputFile(name, name) for name in "abc"]
    write_files(files, str(tmp_path), WriteMode(check=True), Sink(), progress=told.append)
    assert told == [1, 2, 3]


def test_text_that_is_no_unicode_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(CompilerBug):
        run(tmp_path, {"a": "\ud800"})


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o644)])
def test_new_files_honour_the_umask(tmp_path: Path, umask: int, mode: int) -> None:
    old = os.umask(umask)
    try:
        run(tmp_path, {"a.nix": recipe("a")})
    finally:
        os.umask(old)
    assert (tmp_path / "a.nix").stat().st_mode & 0o7777 == mode


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o755, 0o666])
def test_mode_of_a_replaced_file_is_kept(tmp_path: Path, mode: int) -> None:
    run(tmp_path, {"a.nix": recipe("a")})
    (tmp_path / "a.nix").chmod(mode)
    report, _ = run(tmp_path, {"a.nix": recipe("b")})
    assert report.written == ("a.nix",)
    assert (tmp_path / "a.nix").stat().st_mode & 0o7777 == mode
