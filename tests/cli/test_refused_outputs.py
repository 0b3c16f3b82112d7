"""Where no option lets a recipe be written: onto what the program reads, and where it cannot be."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.command import ROOT, SMALL, spawn, tvarc
from support.effort import sampled
from tvarc.commands.line import exits

NAME = "pkgs/hello-cuda12_8-sm90.nix"
NAMES = 5
OPTIONS = pytest.mark.parametrize("options", sampled([(), ("--force",), ("--adopt",)]), ids=str)


def change(folder: Path, old: str, new: str) -> None:
    file = folder / "variants.tvar"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def content(folder: Path) -> dict[str, object]:
    """All below *folder*, with the number of each file."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        text = path.read_bytes() if stat.S_ISREG(state.st_mode) else b""
        found[str(path)] = (text, state.st_ino, stat.S_IFMT(state.st_mode))
    return found


def refused(folder: Path, code: str, words: str, *options: str, out: str | None = None) -> str:
    """Build, which must fail with *words* and change nothing; what it said."""
    before = content(folder)
    more = ("--out", out) if out is not None else ()
    for also in ((), ("--dry-run",)):
        result = tvarc("build", *options, *more, *also)
        told = " ".join(result.stderr.split())
        assert result.exit_code == exits.FAILED, result.output
        assert f"error[{code}]: " in told and words in told, result.stderr
        assert result.stderr.count("error[") == 1
        assert "= help: " in told
        assert told.endswith("nothing was written") or "`--out` leads through" in told
        assert content(folder) == before
    return told


# --- onto what the program reads ----------------------------------------------------------------


@OPTIONS
def test_onto_a_file_that_is_named(project: Path, options: tuple[str, ...]) -> None:
    change(project, "./fix me.patch", f"./{NAME}")
    (project / "pkgs").mkdir()
    (project / NAME).write_text("mine\n")
    words = f"output `{NAME}` is a file that this program reads"
    refused(project, "E803", words, *options)


@OPTIONS
def test_onto_a_file_that_is_named_and_not_there(project: Path, options: tuple[str, ...]) -> None:
    """It is missing first of all."""
    change(project, "./fix me.patch", f"./x/../{NAME}")
    result = tvarc("build", *options, code=exits.FAILED)
    assert f"error[E106]: cannot read `{NAME}`" in result.stderr
    assert not (project / "pkgs").exists()


@pytest.mark.slow
@OPTIONS
def test_onto_a_module(project: Path, options: tuple[str, ...]) -> None:
    """A module may be called as it likes, where another name is a link to it."""
    (project / "pkgs").mkdir()
    (project / NAME).write_text("let more = 1.0\n")
    (project / "more.tvar").symlink_to(NAME)
    change(project, "let newest", 'use "./more.tvar"\nlet newest')
    refused(project, "E803", f"output `{NAME}` is a file that this program reads", *options)


@OPTIONS
def test_onto_the_program_itself(project: Path, options: tuple[str, ...]) -> None:
    (project / "pkgs").mkdir()
    (project / "variants.tvar").rename(project / NAME)
    (project / "variants.tvar").symlink_to(NAME)
    refused(project, "E803", f"output `{NAME}` is a file that this program reads", *options)


@OPTIONS
@pytest.mark.parametrize("made", ["hard link", "link to the file", "link to the folder"])
def test_onto_a_file_that_is_named_by_another_name(
    project: Path, options: tuple[str, ...], made: str
) -> None:
    change(project, "./fix me.patch", "./inner/fix me.patch")
    source = project / "inner" / "fix me.patch"
    source.parent.mkdir()
    source.write_text("mine\n")
    words = "is a file that this program reads"
    if made == "link to the folder":
        source.rename(project / "inner" / Path(NAME).name)
        change(project, "./inner/fix me.patch", f"./inner/{Path(NAME).name}")
        (project / "pkgs").symlink_to("inner")
        words = "output `pkgs` is a symbolic link or is behind one"
    else:
        (project / "pkgs").mkdir()
        if made == "hard link":
            (project / NAME).hardlink_to(source)
        else:
            (project / NAME).symlink_to(source)
            words = f"output `{NAME}` is a symbolic link or is behind one"
    refused(project, "E803", words, *options)


@OPTIONS
@pytest.mark.parametrize("out", ["inner/..", "link", "link/inner/..", "absolute", "inner/../link"])
def test_onto_a_file_that_is_named_by_another_folder(
    project: Path, options: tuple[str, ...], out: str
) -> None:
    change(project, "./fix me.patch", f"./{NAME}")
    for folder in ("pkgs", "inner"):
        (project / folder).mkdir()
    (project / "link").symlink_to(project)
    (project / NAME).write_text("mine\n")
    given = str(project) if out == "absolute" else out
    words = "is a symbolic link" if "link" in out else "is a file that this program reads"
    refused(project, "E803", words, *options, out=given)


def test_onto_a_file_that_a_setting_of_the_command_line_names(project: Path) -> None:
    (project / "pkgs").mkdir()
    (project / NAME).write_text("mine\n")
    option = ("--set", f'attrs.patches=[path("./{NAME}")]', "--force")
    refused(project, "E803", "is a file that this program reads", *option)


def test_onto_a_file_that_another_module_names(project: Path) -> None:
    """It is named from where that module stands."""
    (project / "inner").mkdir()
    (project / "pkgs").mkdir()
    (project / NAME).write_text("mine\n")
    (project / "inner" / "more.tvar").write_text(f'let fix = path("../{NAME}")\n')
    change(project, "let newest", 'use "./inner/more.tvar"\nlet newest')
    refused(project, "E803", "is a file that this program reads", "--force")


def test_what_stands_in_a_folder_that_is_named_is_as_elsewhere(project: Path) -> None:
    """A program may well name the folder that all of it stands in."""
    change(project, "./fix me.patch", "./.")
    assert tvarc("build").exit_code == exits.OK
    (project / NAME).write_text("mine\n")
    result = tvarc("build")
    assert "error[E801]" in result.stderr and "--adopt" in result.stderr


def test_where_case_does_not_count(
    project: Path, folding: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (project / "variants.tvar").read_text()
    monkeypatch.chdir(folding)
    Path("variants.tvar").write_text(text)
    change(folding, "./fix me.patch", f"./{NAME.upper()}")
    (folding / "pkgs").mkdir()
    (folding / NAME.upper()).write_text("mine\n")
    refused(folding, "E803", "is a file that this program reads", "--force")


@pytest.fixture
def folding(tmp_path: Path) -> Path:
    """A folder in which the case of letters does not count."""
    folder = tmp_path / "folding"
    folder.mkdir()
    if (tmp_path / "FOLDING").exists():
        return folder
    done = subprocess.run(["chattr", "+F", str(folder)], capture_output=True, check=False)
    (folder / "a").touch()
    if done.returncode != 0 or not (folder / "A").exists():
        pytest.skip("no file system here folds case")
    return folder


# --- names that are one elsewhere ---------------------------------------------------------------


@pytest.mark.parametrize("depth", ["", "{{gpu}}/"])
def test_names_that_differ_in_case_only(project: Path, depth: str) -> None:
    """The whole of one matrix is made of pieces; with the GPU in the path it is as well."""
    change(project, '"hello-cuda{{under(cuda)}}-{{gpu}}"', '"{{word}}-{{gpu}}"')
    change(project, "gpu * cuda", "gpu * cuda * word")
    change(project, "let newest", 'axis word = ["Hello", "hello"]\nlet newest')
    change(project, "axis cuda = [12.8, 13.0]", "axis cuda = [12.8]")
    change(project, '  exclude gpu == sm90 and cuda == 13.0 because "never"\n', "")
    change(project, "pkgs/", f"pkgs/{depth}")
    result = tvarc("build", "--force")
    told = " ".join(result.stderr.split())
    assert "error[E402]: output `nix` writes two variants to the same file" in told
    assert "are the same file on file systems that ignore case, or how accents are encoded" in told
    assert not (project / "pkgs").exists()


def test_a_file_and_a_folder_that_differ_in_case_only(project: Path) -> None:
    change(
        project,
        'output nix { file = "pkgs/{{variant}}.nix" }',
        'output nix { file = "pkgs/{{variant}}.nix" }\n'
        'output more { file = "PKGS/{{variant}}.nix/a-{{variant}}.nix" }',
    )
    words = "5 files cannot be written: other files need folders of these names"
    refused(project, "E802", words, "--force")


# --- where something else is --------------------------------------------------------------------


@OPTIONS
@pytest.mark.parametrize("kind", ["folder", "full folder", "pipe", "socket", "device", "link"])
def test_something_else_in_the_place_of_a_file(
    project: Path, options: tuple[str, ...], kind: str
) -> None:
    place = project / NAME
    place.parent.mkdir()
    words = f"output `{NAME}` exists already and is not a regular file"
    match kind:
        case "folder":
            place.mkdir()
        case "full folder":
            place.mkdir()
            (place / "mine").write_text("mine\n")
        case "pipe":
            os.mkfifo(place)
        case "socket":
            make_socket(place)
        case "device":
            try:
                os.mknod(place, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
            except OSError:
                pytest.skip("devices are made by root alone")
        case _:
            place.symlink_to("nowhere")
            words = f"output `{NAME}` is a symbolic link or is behind one"
    refused(project, "E803", words, *options)


def make_socket(place: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(place.parent)  # the path of a socket has to be short
        try:
            made.bind(place.name)
        finally:
            os.chdir(here)


@OPTIONS
@pytest.mark.parametrize("kind", ["file", "pipe", "link", "outer link"])
def test_something_else_in_the_place_of_a_folder(
    project: Path, options: tuple[str, ...], kind: str, tmp_path: Path
) -> None:
    change(project, "pkgs/", "pkgs/inner/")
    code, words = "E802", "`pkgs` cannot be written: not a directory"
    match kind:
        case "file":
            (project / "pkgs").write_text("mine\n")
        case "pipe":
            os.mkfifo(project / "pkgs")
        case "link":
            code, words = "E803", "output `pkgs` is a symbolic link or is behind one"
            (project / "pkgs").symlink_to("nowhere")
        case _:
            code, words = "E803", "output `pkgs` is a symbolic link or is behind one"
            (tmp_path / "outer").mkdir()
            (project / "pkgs").symlink_to(tmp_path / "outer")
    told = refused(project, code, words, *options)
    assert ("a file is in the place of a folder" in told) is (code == "E802")
    assert not list(tmp_path.glob("outer/*"))


@pytest.mark.slow
def test_an_out_that_goes_through_a_file(project: Path) -> None:
    (project / "file").write_text("mine\n")
    for out in ("file", "file/deeper"):
        refused(project, "E802", "not a directory", "--force", out=out)


def test_an_out_whose_links_go_in_circles(project: Path) -> None:
    (project / "a").symlink_to("b")
    (project / "b").symlink_to("a")
    told = refused(project, "E802", "too many levels of symbolic links", "--force", out="a/x")
    assert "fix the symbolic link" in told


@pytest.mark.parametrize("there", [False, True])
def test_a_name_that_is_too_long(project: Path, there: bool) -> None:
    change(project, "pkgs/{{variant}}", f"pkgs/{'n' * 240}-{{{{variant}}}}")
    if there:
        (project / "pkgs").mkdir()
    result = tvarc("build", "--force")
    assert "error[E403]: output `nix` cannot write this file" in result.stderr
    assert result.stderr.endswith("nothing was written\n")
    assert not list(project.glob("pkgs/*"))


def test_a_path_that_is_too_long(project: Path) -> None:
    deep = "n" * 100 + "/"
    steps = os.pathconf(project, "PC_PATH_MAX") // len(deep) + 1  # too many wherever this runs
    change(project, "pkgs/", "pkgs/" + deep * steps)
    told = refused(project, "E802", "file name too long")
    assert "make the `file` of the output shorter" in told


# --- where nothing may be written ---------------------------------------------------------------

# Root may write everywhere, unless it has given up to.
DROP_CAPABILITIES = """\
import ctypes, os, sys
for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    assert ctypes.CDLL(None).prctl(24, capability, 0, 0, 0) == 0  # PR_CAPBSET_DROP
os.execv(sys.executable, [sys.executable, "-m", "tvarc", *sys.argv[1:]])
"""


def as_anybody(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command as somebody who may not write everywhere."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    start = ["-c", DROP_CAPABILITIES] if os.geteuid() == 0 else ["-m", "tvarc"]
    command = [sys.executable, *start, *args]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def closed(project: Path) -> Iterator[Path]:
    """A built project, its `pkgs` closed to all."""
    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("root may write everywhere here")
    tvarc("build")
    (project / "pkgs").chmod(0o555)
    yield project
    (project / "pkgs").chmod(0o755)


@pytest.mark.slow
def test_a_folder_that_is_read_only(closed: Path) -> None:
    quiet = as_anybody("build", cwd=closed)
    assert quiet.returncode == exits.OK, quiet.stderr  # there is nothing to write
    change(closed, '["-a"]', '["-b"]')
    before = content(closed)
    done = as_anybody("build", cwd=closed)
    told = " ".join(done.stderr.split())
    assert done.returncode == exits.FAILED
    assert "error[E802]: `pkgs` cannot be written: permission denied" in told
    assert "check the owner and the permissions" in told and told.endswith("nothing was written")
    assert done.stderr.count("error[") == 1
    assert as_anybody("build", "--check", cwd=closed).returncode == exits.STALE
    assert content(closed) == before


@pytest.mark.slow
def test_a_folder_that_cannot_be_made(closed: Path) -> None:
    done = as_anybody("build", "--out", "pkgs/inner/deeper", cwd=closed)
    assert done.returncode == exits.FAILED
    assert "cannot be written: permission denied" in done.stderr
    assert not (closed / "pkgs" / "inner").exists()


@pytest.mark.slow
def test_a_folder_in_which_nothing_may_be_removed(closed: Path) -> None:
    change(closed, "  sm103 { capability = 10.3 }\n", "")
    done = as_anybody("build", "--prune", cwd=closed)
    assert done.returncode == exits.FAILED
    assert "cannot be removed: permission denied" in done.stderr
    assert "check the owner and the permissions" in done.stderr
    assert len(list((closed / "pkgs").iterdir())) == 5


@pytest.mark.slow
def test_a_file_system_that_is_read_only(project: Path) -> None:
    tvarc("build")
    mount = ["mount", "--bind", "-o", "ro", "pkgs", "pkgs"]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount, and not everywhere")
    try:
        assert tvarc("build").exit_code == exits.OK
        change(project, '["-a"]', '["-b"]')
        before = content(project)
        done = spawn("build", cwd=project)
        assert b"error[E802]: `pkgs` cannot be written: read-only file system" in done.stderr
        assert b"choose a writable folder" in done.stderr
        assert done.returncode == exits.FAILED
        assert content(project) == before
        assert tvarc("build", "--out", "other").exit_code == exits.OK
    finally:
        subprocess.run(["umount", "pkgs"], check=True)


def test_the_small_program_is_as_these_tests_take_it() -> None:
    assert SMALL.count("fix me.patch") == 1 and SMALL.count("pkgs/") == 1


# --- where `--out` leads --------------------------------------------------------------------------


@OPTIONS
@pytest.mark.parametrize("out", ["link", "link/", "./link", "link/inner", "inner/../link", "dead"])
def test_out_goes_through_no_link_of_the_checkout(
    project: Path, tmp_path: Path, options: tuple[str, ...], out: str
) -> None:
    """It could lead into any other project."""
    other = tmp_path / "other"
    (other / "inner").mkdir(parents=True)
    (project / "inner").mkdir()
    (project / "link").symlink_to(other)
    (project / "dead").symlink_to("nowhere")
    for given in (out, f"{project}/{out}"):
        told = refused(project, "E803", "which is a symbolic link", *options, out=given)
        assert shlex.quote(os.path.realpath(out)) in told
    assert [path.name for path in other.rglob("*")] == ["inner"]
    assert not (project / "nowhere").exists()


def test_a_link_to_the_folder_itself_is_one(project: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "link").symlink_to("out")
    refused(project, "E803", "which is a symbolic link", out=str(tmp_path / "link"))


@pytest.mark.slow
def test_links_of_the_system_above_are_no_matter(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `/tmp` of a Mac, and with a home that is a link."""
    (tmp_path / "home").symlink_to(tmp_path)
    assert tvarc("build", "--out", str(tmp_path / "home" / "out")).exit_code == exits.OK
    assert len(list((tmp_path / "out" / "pkgs").iterdir())) == NAMES
    monkeypatch.chdir(tmp_path / "home" / project.name)
    assert tvarc("build", "--out", "out").exit_code == exits.OK
    assert tvarc("build", "--out", "../elsewhere").exit_code == exits.OK
    assert len(list((tmp_path / "elsewhere" / "pkgs").iterdir())) == NAMES
    told = tvarc("build", "--out", str(tmp_path / "home" / project.name / "out")).stdout
    assert told.endswith("0 written, 5 unchanged\n")


def test_a_link_that_comes_later_is_refused_too(project: Path, tmp_path: Path) -> None:
    """The record of the build before says nothing of it."""
    for _ in range(2):
        assert tvarc("build", "--out", "out").exit_code == exits.OK
    (project / "out").rename(tmp_path / "out")
    (project / "out").symlink_to(tmp_path / "out")
    refused(project, "E803", "which is a symbolic link", out="out")
