"""Overlays that say what makes them superfluous, by real Nix: the same derivation, and a warning
where nixpkgs has overtaken them; `tvarc stale` finds the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cli.test_schemas import validator
from support.command import tvarc
from support.compile import compile_text, write_recipes
from support.nix import requires_nix
from support.recipes import MODEL, nix_instantiate
from tvarc.commands.line import exits

pytestmark = [pytest.mark.nix, requires_nix]

PIN = 'pin p { path = "../nixpkgs" }\n'
# Each changes the package that is built; the model has hello 2.12.1, numpy 2.3.4.
FORMS = {
    "top": ("hello", "overlay o for hello UNTIL { x = 1 }", "hello", "2.12.1"),
    "patch": ("hello", 'patch o for hello UNTIL { file = path("./a.patch") }', "hello", "2.12.1"),
    "plain": (
        "hello",
        'overlay o UNTIL { hello = nix"""prev.hello.overrideAttrs { x = 1; }""" }',
        "hello",
        "2.12.1",
    ),
    "python": (
        "python3Packages.numpy",
        "overlay o for python3Packages.numpy UNTIL { x = 1 }",
        "numpy",
        "2.3.4",
    ),
    "python-in": (
        "python3Packages.numpy",
        "overlay o in python3Packages UNTIL "
        '{ numpy = nix"""prev.numpy.overrideAttrs { x = 1; }""" }',
        "numpy",
        "2.3.4",
    ),
    "python-beneath": (
        "python3Packages.torchvision",
        "overlay o for python3Packages.torch UNTIL { x = 1 }",
        "torch",
        "2.9.1",
    ),
    "override": (
        "python3Packages.numpy",
        "overlay o for python3Packages.numpy UNTIL { via = override, x = 1 }",
        "numpy",
        "2.3.4",
    ),
    "update": (
        "python3Packages.numpy",
        "overlay o for python3Packages.numpy UNTIL { via = update, x = 1 }",
        "numpy",
        "2.3.4",
    ),
    "of-nixpkgs": (
        "python3Packages.numpy",
        "overlay o for python3Packages.numpy UNTIL { x = 1 }",
        "pkgs.hello",
        "2.12.1",
    ),
    # By other names of this Python set, and in the set of another Python, which has the overlay.
    "own-set": (
        "python3Packages.numpy",
        "overlay o for python3Packages.numpy UNTIL { x = 1 }",
        "pkgs.python3.pkgs.numpy",
        "2.3.4",
    ),
    "own-set-in": (
        "python3Packages.numpy",
        "overlay o in python3Packages UNTIL "
        '{ numpy = nix"""prev.numpy.overrideAttrs { x = 1; }""" }',
        "pkgs.python3Packages.numpy",
        "2.3.4",
    ),
    "own-set-override": (
        "python3Packages.numpy",
        "overlay o for python3Packages.numpy UNTIL { via = override, x = 1 }",
        "pkgs.python3Packages.numpy",
        "2.3.4",
    ),
    "other-python": (
        "python3Packages.numpy",
        "overlay o for python3Packages.numpy UNTIL { x = 1 }",
        "pkgs.python312Packages.numpy",
        "2.3.4",
    ),
    "no-such": ("hello", "overlay o for hello UNTIL { x = 1 }", "no-such.package", ""),
}


@pytest.fixture
def places(tmp_path: Path) -> Path:
    (tmp_path / "nixpkgs").symlink_to(MODEL)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.patch").write_text("", encoding="utf-8")
    return tmp_path


def evaluated(places: Path, package: str, overlay: str) -> tuple[str, str]:
    """The derivation of *package* with *overlay*, and what Nix says besides."""
    program = (
        f"{PIN}{overlay}\nrecipe r {{ package = pkgs.{package}, overlays = [o] }}\n"
        'variant v { recipe = r }\noutput n { file = "{{variant}}.nix" }\n'
    )
    files = {"../nixpkgs/default.nix": "", "a.patch": ""}
    made = compile_text(program, files=files)
    (recipe,) = write_recipes(made, places / "project").values()
    done = subprocess.run(
        [nix_instantiate(), "--store", "dummy://", "--readonly-mode", "--eval", "--expr",
         f"(import {recipe} {{ }}).drvPath"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_the_same_derivation_and_a_warning(places: Path, form: str) -> None:
    package, overlay, name, version = FORMS[form]
    plain, _ = evaluated(places, package, overlay.replace("UNTIL ", ""))
    bare, _ = evaluated(places, package, "overlay o { unrelated = 1 }")
    assert plain != bare
    for wanted in ("0.1", version, "99.1"):
        if not wanted:
            continue
        drv, said = evaluated(
            places, package, overlay.replace("UNTIL", f"until {name} >= {wanted}")
        )
        assert drv == plain
        overtaken = wanted != "99.1" and bool(version)
        kind = "patch" if form == "patch" else "overlay"
        last = name.rpartition(".")[2]
        warning = f"{kind} `o`: not needed since {last} {wanted}; this nixpkgs has {version}"
        assert (warning in said) is overtaken, said


PROGRAM = """\
pin p { path = "../nixpkgs" }
axis python = ["python3Packages", "python312Packages"]
let bound = 99.1
overlay overtaken for pkgs[python].numpy until numpy >= 1.20 { x = 1 }
overlay needed in python3Packages until numpy >= bound { y = 1 }
patch gone for hello until no-such.package >= 1.0 { file = path("./a.patch") }
overlay silent for hello { x = 1 }
recipe r { package = pkgs.hello, overlays = [overtaken, needed, gone, silent] }
recipe called { pin = none, package = pkgs.hello, overlays = [overtaken] }
matrix m { recipe = r, axes = python, name = "{{python}}" }
output n { file = "r/{{variant}}.nix" }
"""


@pytest.fixture
def project(places: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(places / "project")
    Path("variants.tvar").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.setenv("NIX_REMOTE", "dummy://")
    return places


def test_stale_names_what_is_overtaken(project: Path) -> None:
    done = tvarc("stale", code=exits.STALE)
    assert done.stdout.splitlines() == [
        "overlay overtaken until python3Packages.numpy >= 1.20: not needed, pin p has 2.3.4 "
        "(variants.tvar:4)",
        "overlay needed until python3Packages.numpy >= 99.1: needed, pin p has 2.3.4 "
        "(variants.tvar:5)",
        "patch gone until no-such.package >= 1.0: unknown, pin p has no version of it "
        "(variants.tvar:6)",
        "overlay overtaken until python312Packages.numpy >= 1.20: not needed, pin p has 2.3.4 "
        "(variants.tvar:4)",
        "1 of 3 overlays with an `until`: not needed any more",
    ]


@pytest.mark.slow
def test_stale_holds_them_against_another_nixpkgs(project: Path) -> None:
    """A newer one, by its folder, and the same by the name of the pin."""
    other = project / "other"
    other.mkdir()
    (other / "default.nix").write_text(
        '_: { python3Packages.numpy.version = "99.2"; python312Packages.numpy = throw "no"; '
        'no-such.package.name = "package-0.9"; }',
        encoding="utf-8",
    )
    for option in ("../other", "p=../other"):
        done = tvarc("stale", "--pin", option, "--json", code=exits.STALE)
        validator("stale").validate(json.loads(done.stdout))
        found = json.loads(done.stdout)["overlays"]
        assert [(one["overlay"], one["version"], one["overtaken"]) for one in found] == [
            ("overtaken", "99.2", True),
            ("needed", "99.2", True),
            ("gone", "0.9", False),
            ("overtaken", None, False),
        ]
        assert {one["nixpkgs"] for one in found} == {str(other)}


def test_stale_of_nothing_overtaken(project: Path) -> None:
    source = Path("variants.tvar")
    source.write_text(PROGRAM.replace("1.20", "99.0"), encoding="utf-8")
    done = tvarc("stale", code=exits.OK)
    assert done.stdout.endswith("0 of 3 overlays with an `until`: not needed any more\n")


@pytest.mark.once
def test_stale_of_a_program_without_any(project: Path) -> None:
    Path("variants.tvar").write_text(
        "recipe r { pin = none, package = pkgs.hello }\nvariant v { recipe = r }\n"
        'output n { file = "{{variant}}.nix" }\n',
        encoding="utf-8",
    )
    done = tvarc("stale")
    assert (done.exit_code, done.stdout) == (
        exits.OK, "no overlay has an `until`\n"
    )  # fmt: skip


@pytest.mark.once
def test_stale_cannot_know_the_nixpkgs_of_a_caller(project: Path) -> None:
    text = PROGRAM + "variant free { recipe = called }\n"
    Path("variants.tvar").write_text(
        text.replace("pkgs[python]", "python3Packages"), encoding="utf-8"
    )
    assert "1 variant has no pin, so its nixpkgs is unknown" in tvarc("stale").stdout


@pytest.mark.once
@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ("q=../nixpkgs", "E505", "no variant has a pin `q`"),
        ("main", "E702", "`main` is neither a commit nor a folder"),
        ("p=1234567", "E702", "40 hexadecimal digits, this has 7"),
        ("1" * 40, "E505", "pin `p` does not name a commit"),
        (".", "E944", "Nix cannot find the versions of packages"),
    ],
)
def test_what_is_no_nixpkgs(project: Path, given: str, code: str, said: str) -> None:
    done = tvarc("stale", "--pin", given)
    assert (done.exit_code, done.stdout) == (exits.FAILED, "")
    assert f"error[{code}]" in done.stderr
    assert said in done.stderr


@pytest.mark.once
def test_stale_without_nix(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    done = tvarc("stale", code=exits.FAILED)
    assert "error[E912]: Nix is not installed here" in done.stderr


@pytest.mark.once
def test_a_table_of_the_program_may_say_the_version(project: Path) -> None:
    """What is known of versions may stand in a table, with a reason."""
    table = "facts fixed (numpy: version) { upstream { numpy = 1.20 } }\n"
    Path("variants.tvar").write_text(
        table + PROGRAM.replace(">= 1.20", ">= fixed[upstream].numpy"), encoding="utf-8"
    )
    assert "numpy >= 1.20: not needed" in tvarc("stale").stdout


@pytest.mark.once
def test_diff_tells_of_another_version(project: Path) -> None:
    (project / "project" / "old").mkdir()
    Path("old/a.patch").write_text("", encoding="utf-8")
    Path("old/variants.tvar").write_text(
        PROGRAM.replace("1.20", "1.19").replace("../nixpkgs", "../../nixpkgs"), encoding="utf-8"
    )
    told = tvarc("diff", "--against", "old").stdout
    assert "overlays.overtaken.until" in told, told
    assert "python3Packages.numpy >= 1.19" in told
    assert "python3Packages.numpy >= 1.20" in told


@pytest.mark.once
def test_explain_shows_it(project: Path) -> None:
    told = tvarc("explain", "python3Packages", "overlays.overtaken").stdout
    assert "until python3Packages.numpy >= 1.20" in told
