"""`diff --nix`: derivations as real Nix makes them, of recipes that pin the model nixpkgs.

The pin is a tarball of the model on this disk; Nix fetches it into a store of its own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import pytest

from support.command import git, tvarc
from support.nix import requires_nix, use_own_store
from support.recipes import MODEL
from tvarc.commands.line import exits

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.slow]

PROGRAM = """\
pin model {{ url = "file://{tarball}", config {{ allowUnfree = true }} }}
axis jobs = ["8", "16"]
patch fix for python3Packages.torch {{ file = path("./patches/fix.patch") }}
recipe torch {{
  package  = pkgs.python3Packages.torch
  overlays = [fix]
  env  {{ MAX_JOBS = jobs }}
  meta {{ description = "a description" }}
}}
recipe plain {{
  package = pkgs.python3Packages.torch
  meta {{ description = "a description" }}
}}
recipe called {{
  pin     = none
  package = pkgs.python3Packages.torch
  env {{ CALLED = "1" }}
}}
matrix all {{ recipe = torch, axes = jobs, name = "torch-{{{{jobs}}}}" }}
variant other {{ recipe = plain }}
variant free {{ recipe = called }}
output nix {{ file = "pkgs/{{{{variant}}}}.nix" }}
warn pin-without-hash = off because "it is here"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, Nix with a store of its own, and the model as `<nixpkgs>`."""
    tarball = tmp_path / "model.tar.gz"
    with tarfile.open(tarball, "w:gz") as archive:
        archive.add(MODEL, "nixpkgs-model")
    use_own_store(tmp_path, monkeypatch)
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    folder = tmp_path / "project"
    write(folder, PROGRAM.format(tarball=tarball))
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, text: str, patch: str = "--- a\n") -> None:
    (folder / "patches").mkdir(parents=True, exist_ok=True)
    (folder / "variants.tvar").write_text(text, encoding="utf-8")
    (folder / "patches" / "fix.patch").write_text(patch, encoding="utf-8")


def outcome(*args: str, code: int) -> dict[str, Any]:
    result = tvarc("diff", "--against", "old", "--nix", "--json", *args, code=code)
    found: dict[str, Any] = json.loads(result.stdout)["derivations"]
    return found


def test_meta_alone_makes_no_other_derivation(project: Path) -> None:
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    old = text.replace('description = "a description"', 'description = "another"', 1)
    write(project / "old", old.replace('CALLED = "1"', 'CALLED = "2"').replace('"16"', '"32"'))
    assert outcome(code=exits.DIFFERENT) == {"torch-8": "same", "other": "same", "free": "other"}
    shown = tvarc("diff", "--against", "old", "--nix").stdout
    assert "derivations: 2 the same, 1 changed\n  free\n    variable CALLED: 2 → 1\n" in shown


@pytest.mark.once
def test_there_may_be_no_temporary_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    write(project / "old", text.replace('CALLED = "1"', 'CALLED = "2"'))
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    result = tvarc("diff", "--against", "old", "--nix")
    assert (result.exit_code, result.stdout) == (exits.TROUBLE, "")
    assert "error[E802]: there is no temporary folder" in result.stderr


def test_what_differs_within_a_derivation(project: Path) -> None:
    """The nearest cause, wherever it is: an environment variable, or a patch of what it is of."""
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    write(project / "old", text.replace("MAX_JOBS = jobs", 'MAX_JOBS = jobs, MORE = "1"'))
    result = tvarc("diff", "--against", "old", "--nix", "--json")
    found = json.loads(result.stdout)["differing"]
    gone: dict[str, Any] = {
        "kind": "variable",
        "name": "MORE",
        "before": "1",
        "after": None,
        "through": [],
    }
    assert found == {"torch-8": [gone], "torch-16": [gone]}
    shown = tvarc("diff", "--against", "old", "--nix").stdout
    assert "  torch-8\n  torch-16\n    variable MORE: - 1\n" in shown
    write(project / "old", text, "--- b\n")
    shown = tvarc("diff", "--against", "old", "--nix").stdout
    assert "    source fix.patch: " in shown


def test_the_cause_may_be_deep_below(project: Path) -> None:
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    below = text.replace(
        "recipe torch {", 'overlay deep for magma { env { DEEP = "{}" } }\nrecipe torch {'
    )
    below = below.replace("overlays = [fix]", "overlays = [fix, deep]")
    below = below.replace(
        "env  { MAX_JOBS = jobs }", "args { cudaSupport = true }\n  env  { MAX_JOBS = jobs }"
    )
    write(project / "old", below.replace("{}", "1"))
    write(project, below.replace("{}", "2"))
    result = tvarc("diff", "--against", "old", "--nix", "--json", "torch-8")
    (found,) = json.loads(result.stdout)["differing"]["torch-8"]
    assert (found["name"], found["before"], found["after"]) == ("DEEP", "1", "2"), found
    assert found["through"][-1].startswith("magma"), found


def test_a_local_file_decides_as_well(project: Path) -> None:
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    write(project / "old", text, "--- b\n")
    found = outcome(code=exits.DIFFERENT)
    assert found == {"torch-8": "other", "torch-16": "other", "other": "same", "free": "same"}
    assert tvarc("diff", "--against", "old").exit_code == exits.OK
    write(project / "old", text)
    assert set(outcome(code=exits.OK).values()) == {"same"}


def test_two_variants(project: Path) -> None:
    result = tvarc("diff", "torch-8", "torch-16", "--nix", "--json")
    one, other = json.loads(result.stdout)["derivations"]
    assert one != other
    assert one.endswith(".drv") and other.endswith(".drv")
    shown = tvarc("diff", "torch-8", "torch-16", "--nix").stdout
    assert one in shown and other in shown
    assert "variable MAX_JOBS: 8 → 16" in shown


def test_what_nix_refuses_is_told_and_the_rest_is_compared(project: Path) -> None:
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    new = text.replace('CALLED = "1"', 'CALLED = nix"""throw "no such thing" """')
    write(project / "old", text)
    write(project, new.replace("MAX_JOBS = jobs", 'MAX_JOBS = "{{jobs}}0"'))
    found = outcome(code=exits.DIFFERENT)
    assert (found["torch-8"], found["torch-16"], found["other"]) == ("other", "other", "same")
    assert "no such thing" in found["free"]


@pytest.mark.once
@pytest.mark.parametrize(
    "printed", ["{}", '{"a": 1}', '{"0": null}', "[]", "null", '"x"', "7", "nonsense", ""]
)
def test_a_nix_that_answers_otherwise(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    nix = tmp_path / "other" / "nix-instantiate"
    nix.parent.mkdir()
    nix.write_text(f"#!/bin/sh\nprintf '%s\\n' '{printed}'\n", encoding="utf-8")
    nix.chmod(0o755)
    monkeypatch.setenv("PATH", f"{nix.parent}:{os.environ['PATH']}")
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    write(project / "old", text.replace('CALLED = "1"', 'CALLED = "2"'))
    assert "`nix-instantiate`" in outcome(code=exits.DIFFERENT)["free"]
    assert tvarc("diff", "torch-8", "torch-16", "--nix").exit_code == exits.DIFFERENT


def test_one_reason_is_told_once(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where there is no network: no variant is at fault."""
    nix = tmp_path / "other" / "nix-instantiate"
    nix.parent.mkdir()
    nix.write_text("#!/bin/sh\necho 'error: no such host' >&2\nexit 1\n", encoding="utf-8")
    nix.chmod(0o755)
    monkeypatch.setenv("PATH", f"{nix.parent}:{os.environ['PATH']}")
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    write(project / "old", text.replace('"16"', '"32"').replace("a description", "another"))
    shown = tvarc("diff", "--against", "old", "--nix").stdout
    assert shown.count("no such host") == 1 and "refuse" not in shown
    assert shown.endswith(", 2 not known\n  2 variants: Nix says: no such host\n"), shown


@pytest.mark.once
def test_without_nix(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    write(project / "old", text.replace("a description", "another"))
    monkeypatch.setenv("PATH", str(project))
    result = tvarc("diff", "--against", "old", "--nix")
    assert (result.exit_code, result.stdout) == (exits.TROUBLE, "")
    assert "error[E912]: Nix is not installed here" in result.stderr
    assert tvarc("diff", "--against", "old").exit_code == exits.DIFFERENT


def test_a_file_that_is_missing(project: Path) -> None:
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    write(project / "old", text)
    (project / "old" / "patches" / "fix.patch").unlink()
    result = tvarc("diff", "--against", "old", "--nix")
    assert (result.exit_code, result.stdout) == (exits.TROUBLE, "")
    assert "error[E106]: cannot read `old/patches/fix.patch`" in result.stderr


STACK = """\
pin model {{ url = "file://{tarball}", config {{ allowUnfree = true }} }}
axis jobs = ["8", "16"]
recipe lib {{
  package = path("./parts/lib.nix")
  args {{ jobs = jobs }}
  meta {{ description = "a lib" }}
  LIB
}}
recipe app {{
  package = pkgs.hello
  needs lib = libs WAY
  attrs {{ lib = needs.lib, jobs = jobs }}
  meta {{ description = "an app" }}
  APP
}}
matrix libs {{ recipe = lib, axes = jobs, name = "lib-{{{{jobs}}}}" }}
matrix apps {{ recipe = app, axes = jobs, name = "app-{{{{jobs}}}}" }}
output nix {{ file = "pkgs/{{{{variant}}}}.nix" }}
warn pin-without-hash = off because "it is here"
"""
PART = '{ stdenv, jobs ? "1" }: stdenv.mkDerivation { name = "lib"; inherit jobs; }\n'


@pytest.mark.once
@pytest.mark.parametrize(
    ("app", "lib", "way"),
    [
        # Each two of the three together in each way.
        ("", "", ""),
        ("", "pin = none", "by argument"),
        ("pin = none", "", "by argument"),
        ("pin = none", "pin = none", ""),
    ],
)
def test_what_is_needed_stands_beside_in_both_states(
    project: Path, tmp_path: Path, app: str, lib: str, way: str
) -> None:
    text = STACK.replace("LIB", lib).replace("APP", app).replace("WAY", way)
    text = text.format(tarball=tmp_path / "model.tar.gz")
    write(project, text)
    parts = {project / "parts" / "lib.nix": PART, tmp_path / "old" / "parts" / "lib.nix": PART}
    for file, part in parts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(part)
    write(tmp_path / "old", text)

    def outcomes() -> dict[str, str]:
        done = tvarc("diff", "--against", "../old", "--nix", "--json")
        assert done.exit_code in (exits.OK, exits.DIFFERENT), done.stderr
        found: dict[str, str] = json.loads(done.stdout)["derivations"]
        return found

    assert set(outcomes().values()) == {"same"}
    # A word of the needed one that decides nothing.
    write(project, text.replace("a lib", "the lib"))
    assert set(outcomes().values()) == {"same"}
    # What is needed is another: and so is what needs it, of which no line differs.
    write(project, text.replace("args { jobs = jobs }", 'args { jobs = "{{jobs}}0" }'))
    assert set(outcomes().values()) == {"other"}
    # A file that the needed one names.
    write(project, text)
    (project / "parts" / "lib.nix").write_text(PART.replace('"lib"', '"library"'))
    assert set(outcomes().values()) == {"other"}
    two = tvarc("diff", "app-8", "app-16", "--nix", code=exits.DIFFERENT)
    assert "getting status of" not in two.stdout + two.stderr


def test_folders_that_a_recipe_names_are_compared(project: Path) -> None:
    """With what is in them: that a file may be run, and where a link leads."""
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    text = text.replace('env { CALLED = "1" }', 'attrs { called = path("./src") }')
    for folder in (project, project / "old"):
        write(folder, text)
        (folder / "src" / "in").mkdir(parents=True)
        (folder / "src" / "in" / "main.c").write_text("int x;\n", encoding="utf-8")
        (folder / "src" / "link").symlink_to("in/main.c")
    assert outcome(code=exits.OK)["free"] == "same"
    (project / "src" / "in" / "main.c").chmod(0o755)
    assert outcome(code=exits.DIFFERENT)["free"] == "other"


def test_relative_paths_in_nix_text_are_of_each_state(project: Path) -> None:
    """As they are of the recipes that a build writes; what is in the files counts."""
    text = (
        (project / "variants.tvar")
        .read_text(encoding="utf-8")
        .replace(
            "env  { MAX_JOBS = jobs }",
            'attrs { notes = nix"""[ ./notes.txt ./${"notes"}.txt ]""" }',
        )
    )
    old = project.parent / "old"
    for folder, notes in ((project, "new"), (old, "old")):
        (folder / "pkgs").mkdir(parents=True)
        (folder / "pkgs" / "notes.txt").write_text(notes, encoding="utf-8")
        (folder / "variants.tvar").write_text(text, encoding="utf-8")
    shutil.copytree(project / "patches", old / "patches")
    found = tvarc("diff", "--nix", "--against", str(old), code=exits.DIFFERENT)
    assert "notes.txt" in found.stdout and "refuse" not in found.stdout, found.stdout
    (old / "pkgs" / "notes.txt").write_text("new", encoding="utf-8")
    found = tvarc("diff", "--nix", "--against", str(old), code=exits.OK)
    (project / "pkgs" / "notes.txt").unlink()
    found = tvarc("diff", "--nix", "--against", str(old))
    says = ("No such file", "does not exist")  # as the version of Nix has it
    said = " ".join(found.stdout.split())  # the path may be long
    assert any(one in said for one in says), found.stdout + found.stderr


# --- files that are read and not named ------------------------------------------------------------

READS = """\
pin model {{ url = "file://{tarball}", config {{ allowUnfree = true }} }}
axis n = ["1", "2"]
recipe app {{
  package = pkgs.hello
  attrs   {{ read = nix\"\"\" {reads} \"\"\" }}
}}
recipe alone {{ package = pkgs.zlib }}
matrix all {{ recipe = app, axes = n, name = "app-{{{{n}}}}" }}
variant other {{ recipe = alone }}
output nix {{ file = "pkgs/{{{{variant}}}}.nix" }}
warn pin-without-hash = off because "it is here"
"""


def commit(folder: Path, files: dict[str, str], where: str = ".") -> None:
    """A repository with *files*, and the program's folder in it as the current one."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    os.chdir(folder)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    os.chdir(folder / where)


def became(code: int) -> dict[str, str]:
    result = tvarc("diff", "--against", "HEAD", "--nix", "--json", code=code)
    found: dict[str, str] = json.loads(result.stdout)["derivations"]
    return found


@pytest.mark.once
@pytest.mark.parametrize(
    ("reads", "changed"),
    [
        ("import ../lib/x.nix", "lib/x.nix"),
        ("import ../lib/x.nix", "lib/deep/y.nix"),
        ("import ../lib/x.nix", "data/z.txt"),
        ("import ../lib", "lib/default.nix"),
        ("import ../lib", "data/z.txt"),
        ("builtins.readFile ../data/z.txt", "data/z.txt"),
        ('builtins.readFile (../. + "/data/z.txt")', "data/z.txt"),
        ('builtins.readFile ../${"data"}/z.txt', "data/z.txt"),
        ("import ../../shared/w.nix", "../shared/w.nix"),
        ('"${../data}"', "data/z.txt"),
        ("import ../lib/link.nix", "data/z.txt"),
    ],
)
def test_what_named_files_read_is_of_each_state(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: str, changed: str
) -> None:
    """Whatever a file imports or reads, it finds in the commit as it was there."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    text = READS.format(tarball=tmp_path / "model.tar.gz", reads=reads)
    (project / "in" / "lib").mkdir(parents=True)
    (project / "in" / "lib" / "link.nix").symlink_to("deep/y.nix")
    commit(
        project,
        {
            "in/variants.tvar": text,
            "in/lib/x.nix": "import ./deep/y.nix # x\n",
            "in/lib/default.nix": "import ./x.nix + (import ../../shared/w.nix)\n",
            "in/lib/deep/y.nix": "builtins.readFile ../../data/z.txt\n",
            "in/data/z.txt": "old",
            "shared/w.nix": 'builtins.readFile ./v.txt + "w"\n',
            "shared/v.txt": "v",
        },
        "in",
    )
    assert set(became(exits.OK).values()) == {"same"}
    file = Path(changed)
    old = file.read_text(encoding="utf-8")
    if changed.endswith(".nix"):
        file.write_text(f'"new" + ({old}\n)', encoding="utf-8")
    else:
        file.write_text("new", encoding="utf-8")
    assert became(exits.DIFFERENT) == {"app-1": "other", "app-2": "other", "other": "same"}
    # Nothing is left behind, and the repository is as it was.
    assert not list((tmp_path / "tmp").iterdir())
    git("checkout", "-q", "--", ":/")
    assert set(became(exits.OK).values()) == {"same"}


def test_a_file_that_came_or_went(project: Path, tmp_path: Path) -> None:
    reads = 'if builtins.pathExists ../data/z.txt then "there" else "none"'
    text = READS.format(tarball=tmp_path / "model.tar.gz", reads=reads)
    commit(project, {"variants.tvar": text})
    assert set(became(exits.OK).values()) == {"same"}
    (project / "data").mkdir()
    (project / "data" / "z.txt").write_text("z", encoding="utf-8")
    assert became(exits.DIFFERENT)["app-1"] == "other"
    git("add", "-A")
    git("commit", "-qm", "two")
    assert set(became(exits.OK).values()) == {"same"}
    (project / "data" / "z.txt").unlink()
    assert became(exits.DIFFERENT)["app-1"] == "other"


def test_a_nixpkgs_among_the_files_is_that_of_each_state(project: Path) -> None:
    shutil.copytree(MODEL, project / "nixpkgs")
    text = READS.format(tarball="x", reads="builtins.readFile ../z.txt")
    text = text.replace('url = "file://x"', 'path = "./nixpkgs"')
    commit(project, {"variants.tvar": text.replace("warn ", "# "), "z.txt": "old"})
    assert set(became(exits.OK).values()) == {"same"}
    (project / "z.txt").write_text("new", encoding="utf-8")
    assert became(exits.DIFFERENT) == {"app-1": "other", "app-2": "other", "other": "same"}
    # One that git does not have is read where it is.
    git("rm", "-rq", "--cached", "nixpkgs")
    git("commit", "-qm", "two")
    assert became(exits.DIFFERENT) == {"app-1": "other", "app-2": "other", "other": "same"}


def test_other_repositories_are_told(project: Path, tmp_path: Path) -> None:
    """A commit does not have what is in a submodule: it is refused where a value names it."""
    other = tmp_path / "other"
    commit(project, {"variants.tvar": "", "src/a.txt": "a"})
    other.mkdir()
    commit(other, {"b.txt": "b"})
    os.chdir(project)
    git("submodule", "add", "-q", str(other), "src/sub")
    text = READS.format(tarball=tmp_path / "model.tar.gz", reads="1")
    text = text.replace('nix""" 1 """', 'path("./src")')
    Path("variants.tvar").write_text(text, encoding="utf-8")
    git("add", "-A")
    git("commit", "-qm", "two")
    result = tvarc("diff", "--against", "HEAD", "--nix")
    assert (result.exit_code, result.stdout) == (exits.TROUBLE, ""), result.stdout
    assert "error[E106]: cannot read `HEAD:src`" in result.stderr
    assert "to another repository" in result.stderr


def test_what_git_does_not_have_is_told(project: Path, tmp_path: Path) -> None:
    text = READS.format(tarball=tmp_path / "model.tar.gz", reads="builtins.readFile ../z.txt")
    commit(project, {"variants.tvar": text, "z.txt": "old"})
    asked = ["git", "rev-parse", "HEAD:z.txt"]
    blob = subprocess.run(asked, capture_output=True, check=True).stdout.decode().strip()
    (project / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    result = tvarc("diff", "--against", "HEAD", "--nix")
    assert (result.exit_code, result.stdout) == (exits.TROUBLE, "")
    assert "error[E911]: cannot get the files of `HEAD` from git" in result.stderr
    assert "z.txt" in result.stderr
