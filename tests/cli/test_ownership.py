"""Whose a recipe is: programs that share a folder, renamed ones, two builds at once."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path

import pytest

from support.command import SMALL, put_small, tvarc
from tvarc.commands.line import exits
from tvarc.commands.shown.unified_diff import difference
from tvarc.files.output import write
from tvarc.files.output.folders import State
from tvarc.files.output.folders import put as put_in_place

NAME = "pkgs/hello-cuda12_8-sm90.nix"
CHANGED = SMALL.replace('["-a"]', '["-other"]')


def recipes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "pkgs").iterdir())}


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def both(project: Path) -> Path:
    """Two programs that want the same files; the first has written them."""
    (project / "other.tvar").write_text(CHANGED)
    assert tvarc("build").exit_code == exits.OK
    return project


@pytest.mark.slow
def test_the_recipes_of_another_program_stay(both: Path) -> None:
    before = recipes(both)
    for options in ((), ("--prune",), ("--only", "sm90"), ("--dry-run",), ("--check",)):
        result = tvarc("build", "other.tvar", *options)
        told = one_line(result.stderr)
        assert result.exit_code == exits.FAILED, options
        assert "error[E801]: " in told and "to another program, `variants.tvar`" in told
        assert "give the outputs of one of them another `file`" in told
        assert recipes(both) == before
    assert tvarc("build").stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"


def test_one_recipe_of_another_program_is_named(project: Path) -> None:
    (project / "other.tvar").write_text(CHANGED)
    tvarc("build", "other.tvar", "--only", "hello-cuda12_8-sm90")
    told = one_line(tvarc("build").stderr)
    assert f"error[E801]: `{NAME}` belongs to another program, `other.tvar`" in told
    assert sorted(recipes(project)) == [Path(NAME).name]


@pytest.mark.slow
def test_they_can_be_taken_with_a_copy_or_without(both: Path) -> None:
    before = recipes(both)
    adopted = tvarc("build", "other.tvar", "--adopt", code=exits.OK)
    assert '-  flags = [ "-a" ];\n+  flags = [ "-other" ];\n' in adopted.stdout
    kept = recipes(both)
    assert {name: kept[f"{name}.orig"] for name in before} == before
    assert tvarc("build").exit_code == exits.FAILED
    forced = tvarc("build", "--force")
    assert forced.stdout == "5 recipes in pkgs: 5 written, 0 unchanged\n"
    assert {name: recipes(both)[name] for name in before} == before


def test_copies_are_named_when_the_disk_is_full_then(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tvarc("build")
    for path in (project / "pkgs").iterdir():
        path.write_text("{ }: by hand\n")
    calls: list[tuple[object, ...]] = []

    def put(*args: object) -> None:
        calls.append(args)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "No space left on device")
        put_in_place(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("tvarc.files.output.write.put", put)
    result = tvarc("build", "--adopt", code=exits.FAILED)
    copies = sorted(path.name for path in (project / "pkgs").glob("*.orig"))
    assert len(copies) == 3
    for copy in copies:
        assert f"the old file is pkgs/{copy}" in result.stdout


@pytest.mark.slow
def test_a_program_that_was_renamed_takes_its_recipes_along(project: Path) -> None:
    tvarc("build")
    (project / "variants.tvar").rename(project / "other.tvar")
    told = "taken over from `variants.tvar`, which no longer exists\n"
    dry = tvarc("build", "other.tvar", "--dry-run")
    assert dry.stdout.endswith(f"0 unchanged\n5 recipes would be {told}")
    result = tvarc("build", "other.tvar", code=exits.OK)
    assert result.stdout == f"5 recipes in pkgs: 5 written, 0 unchanged\n5 recipes {told}"
    again = tvarc("build", "other.tvar")
    assert again.stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"
    (project / "other.tvar").rename(project / "third.tvar")
    data = json.loads(tvarc("build", "third.tvar", "--json").stdout)
    assert data["taken_over"] == {"other.tvar": 5}


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_above_is_no_program(project: Path) -> None:
    tvarc("build")
    (project / "variants.tvar").rename(project / "renamed.tvar")
    other = project.parent / "variants.tvar"
    other.write_text("no program\n")
    assert tvarc("build", "renamed.tvar").exit_code == exits.FAILED
    os.chown(other, 12345, 12345)
    assert tvarc("build", "renamed.tvar").exit_code == exits.OK


def test_a_copy_is_another_program(project: Path) -> None:
    tvarc("build")
    (project / "copy.tvar").write_text(SMALL)
    assert tvarc("build", "copy.tvar").exit_code == exits.FAILED


@pytest.mark.parametrize("file", ["inner/other.tvar", "../other.tvar"])
def test_programs_above_and_below_are_seen(project: Path, file: str) -> None:
    """That of the inner folder writes below it, that above to what is below itself."""
    other = project / file
    other.parent.mkdir(exist_ok=True)
    path = "pkgs" if other.parent.name == "inner" else f"{project.name}/inner/pkgs"
    put_small(other.parent, CHANGED.replace("pkgs/{{", f"{path}/{{{{"), other.name)
    (project / "variants.tvar").write_text(SMALL.replace("pkgs/{{", "inner/pkgs/{{"))
    assert tvarc("build", str(other)).exit_code == exits.OK
    result = tvarc("build")
    assert f"5 files belong to another program, `{file}`" in result.stderr


def test_a_program_of_that_name_that_writes_elsewhere_is_none(project: Path) -> None:
    """What has the name of the renamed program by chance, in a folder above."""
    tvarc("build")
    (project / "variants.tvar").rename(project / "other.tvar")
    put_small(project.parent, SMALL.replace("pkgs/", "elsewhere/"))
    assert tvarc("build", "other.tvar").exit_code == exits.OK


def test_where_out_leads_another_name_is_another_program(project: Path, tmp_path: Path) -> None:
    """Whose recipes stand there, and whether that one is renamed, cannot be known."""
    out = str(tmp_path / "out")
    assert tvarc("build", "--out", out).exit_code == exits.OK
    (project / "variants.tvar").rename(project / "other.tvar")
    result = tvarc("build", "other.tvar", "--out", out)
    assert "5 files belong to another program, `variants.tvar`" in result.stderr
    assert "was renamed to this one" in one_line(result.stderr)
    assert tvarc("build", "other.tvar", "--out", out, "--force").exit_code == exits.OK


@pytest.mark.parametrize("name", ["../variants.tvar", "a\0b", ".", "inner/variants.tvar"])
def test_a_head_with_a_name_that_no_file_has(project: Path, name: str) -> None:
    from tvarc.files.output.header import seal

    head = ["# hello.", f"# Made by tvarc from {name}: matrix all, recipe base."]
    (project / "pkgs").mkdir()
    (project / NAME).write_text(seal(head, "{ }: 1\n"))
    result = tvarc("build", code=exits.FAILED)
    assert "belongs to another program" in result.stderr and "internal" not in result.stderr


@pytest.mark.parametrize("left", [b"", b"\0" * 4096], ids=["empty", "zeros"])
def test_what_a_power_cut_left_is_written_again(project: Path, left: bytes) -> None:
    tvarc("build")
    before = recipes(project)
    (project / NAME).write_bytes(left)
    assert tvarc("build", "--check").exit_code == exits.STALE
    assert tvarc("build").stdout == "5 recipes in pkgs: 1 written, 4 unchanged\n"
    assert recipes(project) == before


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_came_meanwhile_is_told_by_whom(
    project: Path, monkeypatch: pytest.MonkeyPatch, by_hand: bool
) -> None:
    """Another build of another state of the program comes between comparing and writing."""
    tvarc("build")
    compared = write.as_compared
    (project / "variants.tvar").write_text(CHANGED.replace("-other", "-new"))

    def meanwhile(folder: int, name: str, seen: State | None) -> bool:
        monkeypatch.setattr(write, "as_compared", compared)
        if by_hand:
            (project / NAME).write_text("{ }: mine\n")
        else:
            text = (project / "variants.tvar").read_text()
            (project / "variants.tvar").write_text(CHANGED)
            assert tvarc("build", "--only", "hello-cuda12_8-sm90").exit_code == exits.OK
            (project / "variants.tvar").write_text(text)
        return compared(folder, name, seen)

    monkeypatch.setattr(write, "as_compared", meanwhile)
    result = tvarc("build", code=exits.FAILED)
    said = one_line(result.stderr)
    assert ("by another build while this one ran" in said) is not by_hand
    assert ("changed by hand" in said) is by_hand
    if not by_hand:
        assert tvarc("build").stdout == "5 recipes in pkgs: 1 written, 4 unchanged\n"


# --- names that steer a terminal ------------------------------------------------------------------

HOSTILE = "new\nline\x1b[31m::error::.nix"


@pytest.mark.slow
def test_a_name_of_a_file_begins_no_line_and_steers_no_terminal(project: Path) -> None:
    tvarc("build")
    for name in (HOSTILE, "b\udcff.nix"):
        (project / "pkgs" / name).write_bytes((project / NAME).read_bytes())
    for options in (("--dry-run",), ("--check",), ()):
        result = tvarc("build", "--prune", *options)
        told = result.stdout + result.stderr
        assert "new␊line␛[31m::error::.nix" in told and "b<U+DCFF>.nix" in told
        assert "\x1b" not in told and "\n::" not in told and "\nline" not in told


def test_a_difference_can_be_applied_whatever_the_name_is(tmp_path: Path) -> None:
    for name in ("a\nb\x1b.tvar", '"a".tvar', "plain.tvar", "blank er.tvar"):
        (tmp_path / name).write_text("one\n")
        patch = difference(name, "one\n", "two\n")
        assert "\x1b" not in patch and len(patch.splitlines()) == 5
        git = ("git", "apply", "-p0", "--unsafe-paths", "-")
        done = subprocess.run(git, input=os.fsencode(patch), cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / name).read_text() == "two\n"
