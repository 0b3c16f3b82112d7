"""The record of a build: when it is used, when it is not, and what it never does."""

from __future__ import annotations

import os
import stat
from hashlib import blake2b
from pathlib import Path

import pytest

from support.command import SMALL, compiled_from_now, put_small, spawn, tvarc
from support.library_cache import read_library_once
from tvarc import __version__
from tvarc.commands.build import noop_build
from tvarc.files import resources
from tvarc.files.cache import Damaged, dumped, loaded
from tvarc.files.disk import Seen
from tvarc.files.output.header import OutputFile, mark_of, recognizing, seal
from tvarc.files.output.plan import WriteMode
from tvarc.files.output.record import Expected, expected_of
from tvarc.files.output.write import write_files
from tvarc.light import replace
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity, Sink
from tvarc.text.source import Span

FIRST = "pkgs/hello-cuda12_8-sm100.nix"
CACHE = "XDG_CACHE_HOME"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return compiled_from_now(monkeypatch)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    put_small(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    read_library_once(monkeypatch)
    return folder


def records(project: Path) -> list[Path]:
    return sorted(project.parent.glob("cache/tvarc/build-*"))


def test_what_has_not_changed_is_not_compiled(project: Path, compiled: list[str]) -> None:
    assert tvarc("build").exit_code == 0
    assert compiled == ["variants.tvar"]
    for words in (
        (), ("--check",), ("--dry-run",), ("--json",), ("--prune",), ("--force",), ("--adopt",),
        ("--no-git",), ("--format", "json"), ("--format", "github"), ("variants.tvar",),
        ("./variants.tvar",), (str(project / "variants.tvar"),),
    ):  # fmt: skip
        assert tvarc("build", *words).exit_code == 0
    assert compiled == ["variants.tvar"]


@pytest.mark.slow
def test_what_decides_the_files_has_a_record_of_its_own(project: Path, compiled: list[str]) -> None:
    many: tuple[tuple[str, ...], ...] = (
        (), ("--only", "gpu=sm103"), ("--only", "gpu=sm103", "--only", "gpu=sm100"),
        ("--out", "out"), ("--set", 'attrs.pname="other"', "--out", "third"),
    )  # fmt: skip
    for words in many:
        tvarc("build", *words, code=0)
    assert len(compiled) == len(records(project)) == len(many)
    assert (project / "third").is_dir()
    for words in many:
        assert tvarc("build", *words).exit_code == 0
    assert len(compiled) == len(many)


def test_a_build_that_checks_leaves_a_record_where_all_is_right(
    project: Path, compiled: list[str]
) -> None:
    tvarc("build", "--no-cache")
    assert not records(project)
    tvarc("build", "--check")
    assert len(records(project)) == 1
    tvarc("build")
    assert len(compiled) == 2


WARNED = SMALL.replace("warn same-build", "# warn same-build").replace("warn pin", "# warn pin")
FORMATS = ((), ("--format", "json"), ("--format", "github"), ("--json",), ("--check",))


@pytest.mark.slow
def test_warnings_stand_and_are_told_again_without_compiling(
    project: Path, compiled: list[str]
) -> None:
    (project / "variants.tvar").write_text(WARNED)
    tvarc("build", "--no-cache")
    ordinary = [tvarc("build", "--no-cache", *words) for words in FORMATS]
    assert ordinary[0].stderr.count("warning[W1") > 1 and "-->" in ordinary[0].stderr
    assert tvarc("build").exit_code == 0
    assert len(records(project)) == 1
    del compiled[:]
    for words, before in zip(FORMATS, ordinary, strict=True):
        again = tvarc("build", *words)
        assert (again.stdout, again.stderr, again.exit_code) == (before.stdout, before.stderr, 0)
    assert compiled == []


def test_a_warning_about_a_file_of_the_library_is_told_again() -> None:
    place = Label(Span("std/nvidia.tvar", 3, 9), primary=True)
    warning = Diagnostic("W101", "a title", (place,), severity=Severity.WARNING)
    data = noop_build.warnings_as_data([warning], Seen({}, {}, {}))
    assert data is not None
    source = noop_build.sources_of(noop_build.warnings_of(data)).get("std/nvidia.tvar")
    assert source is not None and "axis" in source.text
    gone = replace(warning, labels=(Label(Span("std/gone.tvar", 0, 0)),))
    with pytest.raises(Damaged):
        noop_build.sources_of([gone])


def test_a_warning_that_was_mended_is_told_no_more(project: Path, compiled: list[str]) -> None:
    program = project / "variants.tvar"
    program.write_text(WARNED)
    assert "warning[W1" in tvarc("build").stderr
    program.write_text(SMALL)
    assert "warning" not in tvarc("build").stderr
    program.write_text(WARNED)
    assert "warning[W1" in tvarc("build").stderr
    assert len(compiled) == 3


@pytest.mark.slow
def test_none_is_left_of_a_build_with_an_error(project: Path, compiled: list[str]) -> None:
    (project / "variants.tvar").write_text(WARNED.replace("recipe = base", "recipe = bass"))
    for _ in range(2):
        assert tvarc("build").exit_code == 1
    assert len(compiled) == 2
    assert not records(project)


def test_warnings_come_back_from_plain_data() -> None:
    place = Label(Span("variants.tvar", 3, 9), "here", primary=True)
    warning = Diagnostic(
        "W101", "a title", (place,), ("a note", "more"), "a help", Severity.WARNING, "name"
    )
    seen = Seen({"variants.tvar": "digest", "gone.tvar": ""}, {}, {})
    data = noop_build.warnings_as_data([warning, warning], seen)
    assert noop_build.warnings_of(loaded(dumped(data))) == [warning, warning]
    elsewhere = replace(warning, labels=(Label(Span("gone.tvar", 0, 0)),))
    error = replace(warning, severity=Severity.ERROR)
    assert noop_build.warnings_as_data([elsewhere], seen) is None
    assert noop_build.warnings_as_data([error], seen) is None


def test_none_is_left_of_a_build_that_would_write(project: Path) -> None:
    assert tvarc("build", "--check").exit_code == 3
    assert tvarc("build", "--dry-run").exit_code == 0
    assert not records(project)


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--no-cache",), ()])
def test_without_the_cache_there_is_none(
    project: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    if not words:
        monkeypatch.setenv("TVARC_NO_CACHE", "1")
    for _ in range(2):
        assert tvarc("build", *words).exit_code == 0
    assert len(compiled) == 2
    assert not records(project)


def test_a_file_that_was_not_there_is_looked_for(project: Path, compiled: list[str]) -> None:
    tvarc("build")
    (project / "tvar.lock").write_text("version = 1\n")
    tvarc("build")
    assert len(compiled) == 2
    (project / "tvar.lock").unlink()
    tvarc("build")
    assert len(compiled) == 3


@pytest.mark.slow
def test_time_decides_nothing(project: Path, compiled: list[str]) -> None:
    tvarc("build")
    for name in ("variants.tvar", FIRST):
        os.utime(project / name, (1, 1))
    tvarc("build")
    assert len(compiled) == 1
    before = (project / FIRST).stat()
    (project / FIRST).write_bytes((project / FIRST).read_bytes().replace(b"echo", b"ECHO"))
    os.utime(project / FIRST, ns=(before.st_atime_ns, before.st_mtime_ns))
    done = tvarc("build")
    assert done.exit_code == 1 and "E801" in done.stderr


def test_another_compiler_has_no_part_in_it(
    project: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tvarc("build")
    monkeypatch.setattr(noop_build, "state_at_start", lambda: "another")
    tvarc("build")
    assert len(compiled) == 2


def test_the_state_of_the_compiler_tells_of_every_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tvarc"
    for name in ("cli", "sema", "grammar", "stdlib", "docs"):
        (package / name).mkdir(parents=True)
    files = [package / name for name in ("a.py", "sema/b.py", "grammar/g.lark", "stdlib/c.tvar")]
    for file in files:
        file.write_text("1\n")
    monkeypatch.setattr(resources, "package_dir", lambda: str(package))
    seen = {resources.compiler_state()}
    for file in files:
        file.write_text("2\n")
        seen.add(resources.compiler_state())
    (package / "cli/new.py").write_text("")
    seen.add(resources.compiler_state())
    assert len(seen) == len(files) + 2
    (package / "docs/page.md").write_text("")
    assert resources.compiler_state() in seen


def test_what_was_installed_is_told_by_the_list_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which every installer writes: as a new file, over the old one, or of the same size."""
    package, info = tmp_path / "tvarc", tmp_path / f"tvarc-{__version__}.dist-info"
    for folder in (package / "grammar", package / "stdlib", info):
        folder.mkdir(parents=True)
    monkeypatch.setattr(resources, "package_dir", lambda: str(package))
    record = info / "RECORD"
    seen = {resources.compiler_state()}
    for text in ("tvarc/a.py,sha256-1,1\n", "tvarc/a.py,sha256-2,1\n"):
        record.write_text(text)
        seen.add(resources.compiler_state())
    (tmp_path / "new").write_text(record.read_text())
    (tmp_path / "new").replace(record)
    seen.add(resources.compiler_state())
    (package / "a.py").write_text("code")
    assert resources.compiler_state() in seen  # no code is looked at but in that list
    (package / "stdlib" / "a.tvar").write_text("facts")  # as somebody may mend one
    seen.add(resources.compiler_state())
    (package / "stdlib" / "a.tvar").write_text("other")
    seen.add(resources.compiler_state())
    assert len(seen) == 6


def test_what_killed_runs_left_goes_away_all_the_same(project: Path, compiled: list[str]) -> None:
    tvarc("build")
    left = project / "pkgs/.tvarc-0.tmp"
    left.write_text("half")
    tvarc("build", "--check")
    tvarc("build", "--dry-run")
    assert left.exists()
    tvarc("build")
    assert not left.exists()
    assert len(compiled) == 1


def test_stale_files_are_told_of_and_removed(project: Path, compiled: list[str]) -> None:
    tvarc("build")
    old = project / "pkgs/old.nix"
    old.write_bytes((project / FIRST).read_bytes())
    assert "no variant any more" in tvarc("build").stdout
    assert len(compiled) == 2  # whose they may be is found out in the ordinary way
    assert "removed pkgs/old.nix" in tvarc("build", "--prune").stdout
    assert not old.exists()


def test_a_record_is_private_and_of_this_user(project: Path, compiled: list[str]) -> None:
    tvarc("build")
    (entry,) = records(project)
    assert stat.S_IMODE(entry.stat().st_mode) == 0o600
    aside = entry.with_name("aside")
    entry.rename(aside)
    entry.symlink_to(aside)
    tvarc("build")
    assert len(compiled) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "harm",
    [
        lambda data: b"",
        lambda data: data[:60],
        lambda data: data[:-1],
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: data[:-1] + b"x",
        # With a digest that is right.
        lambda data: _sealed(b""),
        lambda data: _sealed(b"\xff\xff\xff\xff"),
        lambda data: _sealed(data[32:-1]),
        lambda data: _sealed(data[32:-400]),
        lambda data: _sealed(dumped(())),
        lambda data: _sealed(dumped(7)),
        lambda data: _sealed(dumped((1, 2, 3, 4, 5, 6, 7, 8))),
        lambda data: _sealed(dumped(({}, {}, {}, (1,), [], (), None, []))),
        lambda data: _sealed(dumped(({}, {}, {}, None, [], (), None, []))),
        lambda data: _sealed(dumped(({}, {}, {}, None, [], (), None, [(7, [])]))),
        lambda data: _sealed(dumped(({}, {}, {}, None, [], (), None, [("pkgs", [(1, 2)])]))),
    ],
)
def test_a_damaged_record_costs_time_alone(
    project: Path, compiled: list[str], harm: object
) -> None:
    assert callable(harm)
    tvarc("build")
    (entry,) = records(project)
    whole = entry.read_bytes()
    key, mark, data = whole.partition(b"\n")
    entry.write_bytes(key + mark + harm(data))
    done = tvarc("build")
    assert (done.exit_code, done.stdout) == (0, "5 recipes in pkgs: 0 written, 5 unchanged\n")
    assert len(compiled) == 2
    assert entry.read_bytes() == whole


def _sealed(data: bytes) -> bytes:
    return blake2b(data, digest_size=32).digest() + data


@pytest.mark.slow
def test_a_program_of_which_the_name_is_no_unicode(project: Path) -> None:
    name = os.fsdecode(b"odd\xff.tvar")
    (project / name).write_text(SMALL)
    done = [spawn("build", name, "--out", "out", cwd=project) for _ in range(3)]
    assert b"5 written" in done[0].stdout
    assert done[1].stdout == done[2].stdout and b"0 written, 5 unchanged" in done[1].stdout
    assert not any(one.stderr for one in done)
    assert len(records(project)) == 1


@pytest.mark.slow
def test_processes_share_it(project: Path) -> None:
    first, second = (spawn("build", cwd=project).stdout for _ in range(2))
    assert b"written" in first and b"0 written" in second
    assert len(records(project)) == 1


# --- files -----------------------------------------------------------------------------------


def files(count: int) -> list[OutputFile]:
    return [
        OutputFile(f"{'ab'[number % 2]}/{number}.nix", seal([f"# {number}"], f"{{ }}: {number}\n"))
        for number in range(count)
    ]


def test_files_are_known_again_by_their_digests(tmp_path: Path) -> None:
    given = [*files(400), OutputFile("top.nix", seal([], "x\n"))]
    for _ in range(2):  # written, then found as they are
        sink = Sink()
        written = write_files(given, str(tmp_path), WriteMode(), sink)
        made = expected_of(written.entries)
        assert made is not None and not list(sink)
        found = Expected(loaded(dumped(made.folders)))
        report = found.confirmed(str(tmp_path), None, check=True, progress=lambda done: None)
        assert report is not None
        assert (report.unchanged, report.folders) == (401, ("a", "b", ""))
    assert [file.path for file in given] == list(found.paths())
    (tmp_path / "b/399.nix").write_text(given[397].text)
    assert found.confirmed(str(tmp_path), None, check=True, progress=lambda done: None) is None


def test_a_file_without_a_digest_is_not_known_again(tmp_path: Path) -> None:
    given = [OutputFile("a.nix", "{ }: 1\n")]
    assert expected_of(write_files(given, str(tmp_path), WriteMode(), Sink()).entries) is None


def test_a_file_that_was_not_made_is_not_known_again(tmp_path: Path) -> None:
    report = write_files(files(1), str(tmp_path), WriteMode(check=True), Sink())
    assert report.written and expected_of(report.entries) is None


def test_any_byte_counts() -> None:
    data = seal(["# one", "# two"], "{ }:\n1\n").encode()
    start, mark = mark_of(data)
    is_same = recognizing(1)
    assert is_same(data, start, mark)
    for place in range(len(data)):
        other = bytearray(data)
        other[place] ^= 1
        assert not is_same(bytes(other), start, mark)
        assert not is_same(data[:place], start, mark)
        assert not is_same(data[:place] + b"#" + data[place:], start, mark)
