"""`tvarc build`: what is written where, when nothing is, and what the command says of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from support.command import SMALL, put_small, spawn, tvarc
from tvarc.commands.line import exits

NAMES = [
    "hello-cuda12_8-sm90",
    "hello-cuda12_8-sm100",
    "hello-cuda13_0-sm100",
    "hello-cuda12_8-sm103",
    "hello-cuda13_0-sm103",
]


def written(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in (folder / "pkgs").iterdir()}


def test_build_writes_once(project: Path) -> None:
    first = tvarc("build", code=exits.OK)
    assert first.stdout == "5 recipes in pkgs: 5 written, 0 unchanged\n"
    assert first.stderr == ""
    assert sorted(written(project)) == sorted(NAMES)
    second = tvarc("build")
    assert second.stdout == "5 recipes in pkgs: 0 written, 5 unchanged\n"


def test_build_finds_the_program_above(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = project / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    result = tvarc("build")
    assert result.stdout == "5 recipes in ../../pkgs: 5 written, 0 unchanged\n"
    assert len(written(project)) == 5


def test_no_program_is_an_error(here: Path) -> None:
    result = tvarc("build", code=exits.FAILED)
    assert "error[E903]" in result.stderr
    assert "help:" in result.stderr
    assert tvarc("check", "other.tvar").stderr.startswith("error[E106]: cannot read `other.tvar`")


def test_the_spelling_of_the_file_changes_nothing(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tvarc("build")
    bytes_before = written(project)
    monkeypatch.chdir(project.parent)
    for file in (
        str(project / "variants.tvar"),
        f"{project.name}/variants.tvar",
        f"./{project.name}/variants.tvar",
    ):
        result = tvarc("build", file)
        assert result.stdout == "5 recipes in my prøject/pkgs: 0 written, 5 unchanged\n", file
    assert written(project) == bytes_before


def test_paths_beside_the_program_are_found_from_the_recipe(project: Path, tmp_path: Path) -> None:
    tvarc("build")
    assert "../fix me.patch" in written(project)[NAMES[0]].replace('"', "").replace(" + /", "/")
    out = tmp_path / "deep" / "er" / "out"
    tvarc("build", "--out", str(out), code=exits.OK)
    text = written(out)[NAMES[0]].replace('"', "").replace(" + /", "/")
    assert f"../../../../{project.name}/fix me.patch" in text
    assert "by tvarc from variants.tvar:" in text


@pytest.mark.slow
def test_a_folder_that_is_no_text_cannot_be_named_in_recipes(project: Path) -> None:
    odd = Path(os.fsdecode(b"odd\xff"))
    try:
        odd.mkdir()
    except OSError:
        pytest.skip("this file system has no such names")
    put_small(odd)
    spawn("build", str(odd / "variants.tvar"), cwd=project, code=exits.OK)
    elsewhere = spawn("build", str(odd / "variants.tvar"), "--out", "other", cwd=project)
    assert elsewhere.returncode == exits.FAILED
    assert elsewhere.stderr.startswith(b"error[E802]: recipes cannot name files in")
    assert not Path("other").exists()


def test_out_is_made_and_named(project: Path) -> None:
    result = tvarc("build", "--out", "made")
    assert result.stdout == "5 recipes in made/pkgs: 5 written, 0 unchanged\n"
    assert not (project / "pkgs").exists()


def test_only_builds_what_is_selected(project: Path) -> None:
    result = tvarc("build", "--only", "sm90", "--only", "cuda13_0-sm103")
    assert result.stdout == "2 recipes in pkgs: 2 written, 0 unchanged\n"
    assert sorted(written(project)) == sorted([NAMES[0], NAMES[4]])
    missed = tvarc("build", "--only", "sm91", code=exits.FAILED)
    assert "error[E901]" in missed.stderr
    assert "did you mean `sm90`?" in missed.stderr


def test_check_writes_nothing(project: Path) -> None:
    result = tvarc("build", "--check", code=exits.STALE)
    assert "error[E804]: 5 files are out of date" in result.stderr
    assert "pkgs/hello-cuda12_8-sm90.nix (new)" in result.stderr
    assert not (project / "pkgs").exists()
    tvarc("build")
    clean = tvarc("build", "--check", code=exits.OK)
    assert clean.stdout == "5 recipes in pkgs: up to date\n"


def test_check_lists_some_of_many(project: Path) -> None:
    values = ", ".join(f"1.{n}" for n in range(30))
    text = SMALL.replace("[12.8, 13.0]", f"[{values}]").replace(
        '  exclude gpu == sm90 and cuda == 13.0 because "never"\n', ""
    )
    (project / "variants.tvar").write_text(text)
    result = tvarc("build", "--check")
    assert "90 files are out of date" in result.stderr
    assert result.stderr.count(".nix") == 20
    assert "and 70 more" in result.stderr


def test_json(project: Path) -> None:
    tvarc("build", "--only", "sm90")
    result = tvarc("build", "--json")
    data = json.loads(result.stdout)
    assert data["unchanged"] == 1
    assert data["written"] == [f"pkgs/{name}.nix" for name in NAMES[1:]]
    assert data["root"] == "."


def test_set_and_flag(project: Path) -> None:
    tvarc("build", "--set", 'attrs.flags = ["-z"]', "--flag", "fast=false")
    text = written(project)[NAMES[0]]
    assert '"-z"' in text
    assert '"-a"' not in text
    assert "echo fast" not in text


@pytest.mark.parametrize(
    ("option", "value", "code"),
    [
        ("--flag", "slow=true", "E505"),
        ("--flag", "fast", "E505"),
        ("--flag", "fast=", "E505"),
        ("--flag", "fast=1", "E301"),
        ("--set", "attr.flags=[]", "E505"),
        ("--set", "attrs.flags=[", "E10"),
        ("--set", "attrs.flags=nobody", "E201"),
    ],
)
def test_bad_settings(project: Path, option: str, value: str, code: str) -> None:
    result = tvarc("build", option, value, code=exits.FAILED)
    assert f"error[{code}" in result.stderr
    assert not (project / "pkgs").exists()


def test_errors_write_nothing(project: Path) -> None:
    (project / "variants.tvar").write_text(SMALL + '\nrequire gpu != sm103 because "so"\n')
    result = tvarc("build", code=exits.FAILED)
    assert "error[E405]" in result.stderr
    assert result.stderr.endswith("1 error, 0 warnings; nothing was written\n")
    assert result.stdout == ""
    assert not (project / "pkgs").exists()


def test_warnings_do_not_fail(project: Path) -> None:
    (project / "variants.tvar").write_text(SMALL + '\nwarn new = gpu == sm103 because "so"\n')
    result = tvarc("build", code=exits.OK)
    assert "warning[W001]" in result.stderr
    assert "5 written" in result.stdout
    assert tvarc("check").stdout == "5 variants, 0 errors, 1 warning\n"


def test_foreign_files_are_refused(project: Path) -> None:
    tvarc("build")
    mine = project / "pkgs" / f"{NAMES[0]}.nix"
    mine.write_text("{ }: mine\n")
    result = tvarc("build", code=exits.FAILED)
    assert "error[E801]" in result.stderr
    assert mine.read_text() == "{ }: mine\n"
    assert tvarc("build", "--force").exit_code == exits.OK
    assert mine.read_text() != "{ }: mine\n"


def test_no_output_and_no_matrix(project: Path) -> None:
    head, _, _ = SMALL.partition("output nix")
    (project / "variants.tvar").write_text(head)
    result = tvarc("build", code=exits.FAILED)
    assert "error[E507]: `variants.tvar` declares no output" in result.stderr
    checked = tvarc("check")
    assert checked.exit_code == exits.FAILED and "error[E507]" in checked.stderr
    (project / "variants.tvar").write_text('output nix { file = "pkgs/{{variant}}.nix" }\n')
    for words in (["build"], ["build", "--check"], ["check"]):
        result = tvarc(*words, code=exits.FAILED)
        assert "error[E407]: `variants.tvar` declares no matrix and no variant" in result.stderr
        assert "0 variants" not in result.output


def test_a_build_notices_that_a_file_is_gone(project: Path) -> None:
    """Nothing that is compiled has changed, but the recipes would name what is not there."""
    assert tvarc("build").exit_code == exits.OK
    assert tvarc("build", "--check").exit_code == exits.OK
    patch = project / "fix me.patch"
    patch.rename(project / "away")
    for words in (["build"], ["build", "--check"], ["check"], ["lock"], ["list"]):
        result = tvarc(*words, code=exits.FAILED)
        assert "error[E106]: cannot read `fix me.patch`" in result.stderr
    patch.symlink_to("nowhere")
    assert "it is a link to a file that does not exist" in tvarc("build").stderr
    patch.unlink()
    os.mkfifo(patch)
    assert "it is not a plain file and not a folder" in tvarc("build").stderr
    patch.unlink()
    (project / "away").rename(patch)
    assert tvarc("build").exit_code == exits.OK


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(project: Path) -> None:
    project.chmod(0o555)
    try:
        result = tvarc("build")
    finally:
        project.chmod(0o755)
    assert result.exit_code == exits.FAILED
    assert "error[E802]" in result.stderr


def test_output_folder_that_is_a_file(project: Path) -> None:
    (project / "pkgs").write_text("a file\n")
    result = tvarc("build", code=exits.FAILED)
    assert "error[E802]" in result.stderr
    assert (project / "pkgs").read_text() == "a file\n"


def test_own_folder_called_std(project: Path) -> None:
    folder = project / "std"
    folder.mkdir()
    put_small(folder, SMALL.replace("let newest", 'use "./mine.tvar"\nlet newest'), "nvidia.tvar")
    (folder / "mine.tvar").write_text("let mine = 1.0\n")
    result = tvarc("build", "std/nvidia.tvar")
    assert result.stdout == "5 recipes in ./std/pkgs: 5 written, 0 unchanged\n", result.stderr
