"""`audit --nix` and `build --adopt --if-equal`: real Nix holds recipes by hand against variants."""

from __future__ import annotations

import errno
import importlib
import json
import os
from pathlib import Path

import pytest

from support.command import ROOT, tvarc
from support.nix import requires_nix, use_own_store
from support.recipes import MODEL
from tvarc.commands import audit as by_hand
from tvarc.commands.line import exits
from tvarc.files.disk import read_plain

# Two recipes are one derivation in each Nix or in none.
pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

PROGRAM = """\
pin model { path = "./nixpkgs", config { allowUnfree = true } }
axis jobs = ["8", "16", "32", "64"]
recipe torch {
  package = pkgs.python3Packages.torch
  args  { cudaSupport = true }
  env   { MAX_JOBS = jobs }
  meta  { description = "Torch with {{jobs}} jobs" }
}
matrix all { recipe = torch, axes = jobs, name = "torch-{{jobs}}" }
output nix { file = "pkgs/{{variant}}.nix" }
"""
BY_HAND = """\
{ pkgs ? import <nixpkgs> { } }:
let
  pinned = import ../nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config.allowUnfree = true;
  };
  torch = pinned.python3Packages.torch.override { cudaSupport = true; };
in
torch.overrideAttrs (old: {
  env = (old.env or { }) // { MAX_JOBS = "%s"; };
})
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program with four variants: one recipe by hand builds the same, one sets another value, one
    is refused, and one is as tvarc wrote it."""
    use_own_store(tmp_path, monkeypatch)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "nixpkgs").symlink_to(MODEL)
    (folder / "variants.tvar").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(folder)
    assert tvarc("build").exit_code == exits.OK
    put("8", BY_HAND % "8")
    put("16", BY_HAND % "17")
    put("32", '{ pkgs ? null }: throw "nobody knows"\n')
    return folder


def put(jobs: str, text: str) -> None:
    Path(f"pkgs/torch-{jobs}.nix").write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_each_is_held_against_its_variant() -> None:
    result = tvarc("audit", "--nix", code=exits.STALE)
    assert result.stdout == (
        "torch-8.nix: the same derivation as torch-8\n"
        "torch-16.nix: not the same derivation as torch-16\n"
        "  variable MAX_JOBS: 17 → 16\n"
        "torch-32.nix: not compared with torch-32: Nix refuses the file\n"
        "1 of 3 hand-written recipes have the derivation of their variant\n"
    )
    assert f"```text\n{result.stdout}```\n" in (ROOT / "docs" / "nix.md").read_text("utf-8")
    found = json.loads(tvarc("audit", "pkgs", "--nix", "--json").stdout)
    assert [one["equal"] for one in found] == [True, False, False]
    assert found[1]["differing"] == [
        {"kind": "variable", "name": "MAX_JOBS", "before": "17", "after": "16", "through": []}
    ]
    assert found[2]["unknown"] == "the file: nobody knows"


WORSE = PROGRAM.replace(
    "  meta ",
    """\
  when jobs == "64" { attrs { more = nix\"\"\"(a = ;)\"\"\" } }
  when jobs == "16" { attrs { more = nix\"\"\"pkgs.nope\"\"\" } }
  meta """,
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("# by hand\n{ pkgs }: let in { a = ; }\n", 2, 24, "syntax error"),
        ('{ pkgs }:\n"é" + (nameless)\n', 2, 8, "undefined variable 'nameless'"),
        ("{ pkgs ? null }:\n  throw ''\nunclosed", 3, None, "syntax error"),
        ('{ pkgs ? null }: "no package"\n', 1, None, ""),
        ("\x80\xff }\n", 1, None, "syntax error"),
        ("{ pkgs ? null }: import ./beside.nix\n", 1, None, "syntax error"),
        ("{ pkgs ? null }: pkgs.x.y\n", 1, 18, "null"),
    ],
)
def test_a_file_that_is_no_nix_keeps_no_other_from_being_judged(
    text: str, line: int, column: int | None, says: str
) -> None:
    """It is told once, where it is."""
    Path("pkgs/beside.nix").write_text("{ a = ; }\n", encoding="utf-8")
    put("32", text)
    put("64", BY_HAND % "64")
    result = tvarc("audit", "--nix", code=exits.STALE)
    assert "torch-8.nix: the same derivation as torch-8\n" in result.stdout
    assert "torch-64.nix: the same derivation as torch-64\n" in result.stdout
    assert "torch-32.nix: not compared with torch-32: Nix refuses the file\n" in result.stdout
    assert result.stderr.count("error[") == 1
    assert "error[E991]: Nix refuses `pkgs/torch-32.nix`\n" in result.stderr
    where = f"--> pkgs/torch-32.nix:{line}:{column if column is not None else ''}"
    assert where in result.stderr and says in result.stderr, result.stderr
    assert "= help: fix the file, or run `tvarc build --adopt`" in result.stderr
    if "beside" in text:
        assert "pkgs/beside.nix:1" in result.stderr


@pytest.mark.slow
def test_what_is_no_nix_in_the_program_keeps_no_other_from_being_judged() -> None:
    Path("variants.tvar").write_text(WORSE, encoding="utf-8")
    put("32", BY_HAND % "32")
    put("64", BY_HAND % "64")
    result = tvarc("audit", "--nix", code=exits.STALE)
    assert result.stdout == (
        "torch-8.nix: the same derivation as torch-8\n"
        "torch-16.nix: not compared with torch-16: Nix refuses the variant\n"
        "torch-32.nix: the same derivation as torch-32\n"
        "torch-64.nix: not compared with torch-64: Nix refuses the variant\n"
        "2 of 4 hand-written recipes have the derivation of their variant\n"
    )
    assert result.stderr.count("error[E991]: Nix refuses `torch-") == 2
    assert "variants.tvar:7:" in result.stderr and "variants.tvar:8:" in result.stderr
    found = json.loads(tvarc("audit", "--nix", "--json").stdout)
    assert [one["equal"] for one in found] == [True, False, True, False]
    # What gives way to recipes is what is known to be equal.
    assert tvarc("build", "--adopt", "--if-equal").exit_code == exits.STALE
    assert [path.name for path in sorted(Path("pkgs").glob("*.orig"))] == [
        "torch-32.nix.orig",
        "torch-8.nix.orig",
    ]


@pytest.mark.slow
def test_a_file_that_cannot_be_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(path: str, file: str, most: int = -1) -> bytes:
        if "torch-32" in path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return read_plain(path, file, most)

    monkeypatch.setattr(by_hand, "read_plain", read)
    result = tvarc("audit", "--nix", code=exits.STALE)
    assert "torch-8.nix: the same derivation as torch-8\n" in result.stdout
    told = "torch-32.nix: not compared with torch-32\n  the file: permission denied\n"
    assert told in result.stdout


@pytest.mark.slow
def test_what_differs_below_is_found() -> None:
    deep = BY_HAND.replace(
        "inherit (pkgs",
        """overlays = [
      (final: prev: { magma = prev.magma.overrideAttrs (old: { postPatch = "true"; }); })
    ];
    inherit (pkgs""",
    )
    put("16", deep % "16")
    shown = tvarc("audit", "--nix").stdout
    assert "  phase postPatch of magma" in shown


@pytest.mark.slow
def test_only_equal_files_are_adopted() -> None:
    result = tvarc("build", "--adopt", "--if-equal", code=exits.STALE)
    assert "adopted pkgs/torch-8.nix: the old file is pkgs/torch-8.nix.orig\n" in result.stdout
    assert "1 copy is kept: `rm pkgs/torch-8.nix.orig` deletes it\n" in result.stdout
    assert "not the same derivation as torch-16\n  variable MAX_JOBS: 17 → 16\n" in result.stdout
    assert "the file: nobody knows" in result.stdout
    assert Path("pkgs/torch-8.nix.orig").read_text() == BY_HAND % "8"
    assert Path("pkgs/torch-16.nix").read_text() == BY_HAND % "17"
    assert "nobody knows" in Path("pkgs/torch-32.nix").read_text()
    put("16", BY_HAND % "16")
    put("32", BY_HAND % "32")
    tvarc("build", "--adopt", "--if-equal", code=exits.OK)
    assert sorted(path.name for path in Path("pkgs").glob("*.orig")) == [
        "torch-16.nix.orig",
        "torch-32.nix.orig",
        "torch-8.nix.orig",
    ]
    assert tvarc("audit", "--nix").stdout == "no hand-written recipe has the path of a variant\n"


@pytest.mark.slow
def test_json_tells_which_stay() -> None:
    result = tvarc("build", "--adopt", "--if-equal", "--json")
    data = json.loads(result.stdout)
    assert data["by_hand"] == ["pkgs/torch-16.nix", "pkgs/torch-32.nix"]
    assert data["written"] == ["pkgs/torch-8.nix"]


def test_nothing_is_adopted_without_nix(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    before = {path: path.read_bytes() for path in Path("pkgs").iterdir()}
    result = tvarc("build", "--adopt", "--if-equal", code=exits.UNJUDGED)
    assert "error[E912]: Nix is not installed here" in result.stderr
    assert tvarc("audit", "--nix").exit_code == exits.UNJUDGED
    assert {path: path.read_bytes() for path in Path("pkgs").iterdir()} == before


def test_if_equal_is_about_adopt() -> None:
    result = tvarc("build", "--if-equal", code=exits.USAGE)
    assert "--adopt" in result.stderr


@pytest.mark.slow
def test_what_is_needed_by_argument_lies_beside(project: Path) -> None:
    """An argument that is called like a recipe is that recipe, as callPackage fills it."""
    (project / "variants.tvar").write_text(
        """\
pin model { path = "./nixpkgs" }
axis n = ["1", "2"]
recipe lib { package = pkgs.zlib, attrs { n = n } }
recipe mid { package = pkgs.hello, needs l = libs by argument, attrs { l = needs.l } }
recipe app { package = pkgs.hello, needs m = mids, attrs { m = needs.m } }
matrix libs { recipe = lib, axes = n, name = "lib-{{n}}" }
matrix mids { recipe = mid, axes = n, name = "mid-{{n}}" }
matrix apps { recipe = app, axes = n, name = "app-{{n}}" }
output nix { file = "recipes/{{variant}}.nix" }
""",
        encoding="utf-8",
    )
    assert tvarc("build").exit_code == exits.OK
    for name in ("mid-1", "mid-2", "app-1", "app-2"):
        with (project / "recipes" / f"{name}.nix").open("a", encoding="utf-8") as recipe:
            recipe.write("# by hand\n")
    other = project / "recipes" / "lib-2.nix"
    other.write_text(other.read_text().replace('n = "2"', 'n = "3"'))
    result = tvarc("audit", "--nix", code=exits.STALE)
    for name in ("mid-1", "app-1"):
        assert f"{name}.nix: the same derivation as {name}\n" in result.stdout, result.stdout
    for name in ("mid-2", "app-2"):
        assert f"{name}.nix: not the same derivation as {name}\n" in result.stdout
    assert "variable n of zlib" in result.stdout


@pytest.mark.slow
def test_an_import_says_proven_of_what_nix_has_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    Path("hand").mkdir()
    for jobs in ("8", "16", "32"):
        text = '{ pkgs }: pkgs.python3Packages.torch.overrideAttrs (old: { jobs = "N"; })\n'
        path = Path(f"hand/torch-{jobs}.nix")
        path.write_text(text.replace("N", jobs), encoding="utf-8")
    without = tvarc("import", "hand", "-o", "plain.tvar")
    assert without.exit_code == exits.OK and "proven" not in without.output
    assert "plain.tvar: written, and read back alike\n" in without.stdout
    result = tvarc("import", "hand", "-o", "hand.tvar", "--nix", code=exits.OK)
    assert result.stderr.endswith(
        "proven for 3 of 3 recipes: Nix makes the same derivation of the file and of the variant\n"
        "  called at the top level of nixpkgs: 3 of 3\n"
    )


WITH_CROSS = """\
arguments: import %(model)s arguments // {
  pkgsCross.aarch64-multiplatform = import %(model)s {
    localSystem = arguments.system;
    crossSystem = "aarch64-linux";
  };
}
"""
OTHER_CALLERS = {
    "equal": "{ zlib, hello }: hello.overrideAttrs (old: { one = zlib; })",
    "set": "{ pkgs }: pkgs.hello.overrideAttrs (old: { two = pkgs.zlib; })",
    "here": '{ stdenv, zlib, hello }:\nassert stdenv.hostPlatform.system == "x86_64-linux";\n'
    "hello.overrideAttrs (old: { three = zlib; })",
    "both": "{ pkgs, zlib, hello }: hello.overrideAttrs (old: { four = [ zlib pkgs.zlib ]; })",
    "tools": "{ pkgs, hello }: hello.overrideAttrs (old: { nativeBuildInputs = [ pkgs.zlib ]; })",
}


@pytest.mark.slow
def test_an_import_is_compared_from_each_caller_of_nixpkgs(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recipe that throws for another machine is not counted there, and one that takes no package
    by an argument of its own has none that a caller could replace."""
    (project / "cross.nix").write_text(WITH_CROSS % {"model": MODEL}, encoding="utf-8")
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={project / 'cross.nix'}")
    Path("hand").mkdir()
    for name, text in OTHER_CALLERS.items():
        Path(f"hand/{name}.nix").write_text(f"{text}\n", encoding="utf-8")
    result = tvarc("import", "hand", "-o", "hand.tvar", "--nix", code=exits.STALE)
    shown = (
        "tools.nix: not the same derivation as tools,"
        " called in pkgsCross.aarch64-multiplatform of nixpkgs\n"
        "  variable host of stdenv-linux: - aarch64-unknown-linux-gnu (through zlib-1.3.1)\n"
        "proven for 4 of 5 recipes: Nix makes the same derivation of the file and of the variant\n"
        "  called at the top level of nixpkgs: 5 of 5\n"
        "  called in pkgsCross.aarch64-multiplatform of nixpkgs: 3 of 4\n"
        "  called with another package for each argument of the file: 3 of 3\n"
    )
    assert result.stderr.endswith(shown), result.stderr
    assert "machine, tools.nix differs: it takes tools from `pkgs`" in result.stdout
    assert "pkgs.pkgs.zlib" in Path("hand.tvar").read_text(encoding="utf-8")
    assert f"```text\n{shown}```\n" in (ROOT / "docs" / "import.md").read_text("utf-8")


def test_the_proof_is_in_the_json(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller for each line of the text, and the caller of each difference."""
    (project / "cross.nix").write_text(WITH_CROSS % {"model": MODEL}, encoding="utf-8")
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={project / 'cross.nix'}")
    Path("hand").mkdir()
    for name in ("equal", "tools"):
        Path(f"hand/{name}.nix").write_text(f"{OTHER_CALLERS[name]}\n", encoding="utf-8")
    assert proof_of("import", "hand", "-o", "plain.tvar") is None
    crossed = "in pkgsCross.aarch64-multiplatform of nixpkgs"
    marked = "with another package for each argument of the file"
    assert proof_of("import", "hand", "-o", "hand.tvar", "--nix") == {
        "proven": 1,
        "recipes": 2,
        "callers": [
            {"caller": "at the top level of nixpkgs", "equal": 2, "compared": 2},
            {"caller": crossed, "equal": 1, "compared": 2},
            {"caller": marked, "equal": 1, "compared": 1},
        ],
        "not_proven": [
            {
                "file": "tools.nix",
                "variant": "tools",
                "caller": crossed,
                "differing": [
                    {
                        "kind": "variable",
                        "name": "host",
                        "before": "aarch64-unknown-linux-gnu",
                        "after": None,
                        "through": ["zlib-1.3.1", "stdenv-linux"],
                    }
                ],
                "unknown": None,
            }
        ],
    }


def test_without_nix_the_json_has_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("hand").mkdir()
    Path("hand/equal.nix").write_text(f"{OTHER_CALLERS['equal']}\n", encoding="utf-8")
    monkeypatch.setenv("PATH", "/nowhere")
    result = tvarc("import", "hand", "-o", "hand.tvar", "--nix", "--json", code=exits.UNJUDGED)
    assert json.loads(result.stdout)["proof"] is None


def proof_of(*words: str) -> object:
    """The proof in the JSON of an import, which is what its schema says."""
    data = json.loads(tvarc(*words, "--json").stdout)
    schema = json.loads((ROOT / "docs" / "schema" / "import.json").read_text("utf-8"))
    importlib.import_module("jsonschema").Draft202012Validator(schema).validate(data)
    return data["proof"]


@pytest.mark.slow
def test_a_file_that_the_top_level_cannot_call_is_compared_as_a_python_module(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nix refuses a file whose arguments neither the top level nor the Python modules have."""
    (project / "cross.nix").write_text(WITH_CROSS % {"model": MODEL}, encoding="utf-8")
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={project / 'cross.nix'}")
    Path("hand").mkdir()
    body = "numpy.overrideAttrs (old: { one = typing-extensions; })"
    for name, text in {
        "module": f"{{ numpy, typing-extensions }}: {body}\n",
        "nowhere": f"{{ numpy, typing-extensions, missing }}: {body.replace('one', 'two')}\n",
    }.items():
        Path(f"hand/{name}.nix").write_text(text, encoding="utf-8")
    result = tvarc("import", "hand", "-o", "hand.tvar", "--nix", code=exits.FAILED)
    assert (
        "proven for 1 of 2 recipes: Nix makes the same derivation of the file and of the variant\n"
        "  called in python3Packages of nixpkgs: 1 of 1\n"
        "  called in pkgsCross.aarch64-multiplatform.python3Packages of nixpkgs: 1 of 1\n"
        "  called with python3Packages, and another package for each argument of the file: 1 of 1\n"
        "  called at the top level of nixpkgs: 0 of 1\n"
    ) in result.stderr
    assert result.stderr.count("error[") == 1
    assert "error[E991]: Nix refuses `hand/nowhere.nix`\n" in result.stderr


@pytest.mark.slow
def test_a_recipe_of_a_package_set_is_compared_in_that_set(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    (project / "variants.tvar").write_text(
        """\
recipe r {
  pin = none, scope = pkgs.python3Packages, package = pkgs.numpy
  attrs { one = pkgs.typing-extensions }
}
variant in-set { recipe = r }
output nix { file = "recipes/{{variant}}.nix" }
""",
        encoding="utf-8",
    )
    assert tvarc("build").exit_code == exits.OK
    path = project / "recipes" / "in-set.nix"
    made = path.read_text(encoding="utf-8")
    path.write_text(f"{made}# by hand\n", encoding="utf-8")
    (same,) = json.loads(tvarc("audit", "--nix", "--json").stdout)
    marked = "with python3Packages, and another package for each argument of the file"
    assert same["equal"] and same["callers"] == ["in python3Packages of nixpkgs", marked]
    head = made.index("{ numpy")
    text = f"{made[:head]}{made[head:].replace('{ numpy', '{ pkgs, numpy', 1)}# by hand\n"
    other = text.replace("one = typing-extensions", "one = pkgs.python3Packages.typing-extensions")
    assert other != text
    path.write_text(other, encoding="utf-8")
    result = tvarc("audit", "--nix", code=exits.STALE)
    assert f"not the same derivation as in-set, called {marked}\n" in result.stdout


@pytest.mark.slow
def test_files_of_an_import_get_the_recipes_of_their_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever a file is, an argument with the name of another recipe is that recipe."""
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    for name, text in {
        "hello": '{ pkgs }: pkgs.python3Packages.torch.overrideAttrs (old: { jobs = "1"; })\n',
        "user": "{ pkgs, hello }: pkgs.python3Packages.torch.overrideAttrs (_: { a = hello; })\n",
    }.items():
        Path(f"hand/{name}").mkdir(parents=True)
        Path(f"hand/{name}/default.nix").write_text(text, encoding="utf-8")
    result = tvarc("import", "hand", "-o", "hand.tvar", "--nix")
    assert "needs hello = hello by argument" in Path("hand.tvar").read_text(encoding="utf-8")
    assert "proven for 2 of 2 recipes" in result.stderr, result.output
    adopted = tvarc("build", "hand.tvar", "--adopt", "--if-equal", "--no-git")
    assert "2 recipes in hand: 2 written" in adopted.output, adopted.output
    assert "Made by tvarc" in Path("hand/user/default.nix").read_text(encoding="utf-8")


def test_what_a_rec_of_derivations_repeats_is_written_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each member of a set that others read is bound to a name, in a list and in a function. It has
    the name of a package that is read beside it."""
    monkeypatch.setenv("NIX_PATH", f"nixpkgs={MODEL}")
    text = """{ pkgs }:
let
  made = rec {
    base = pkgs.stdenv.mkDerivation { pname = "zlib"; version = "1.2"; inputs = [ pkgs.zlib ]; };
    more = pkgs.stdenv.mkDerivation { pname = "more"; version = "2"; inputs = [ base ]; };
    all = pkgs.stdenv.mkDerivation { pname = "all"; version = "3"; inputs = [ base more ]; };
  };
in
pkgs.python3Packages.torch.overrideAttrs (old: {
  tools = [ made.all made.more made.base ];
  passthru = { tool = made.all; inherit (made) more; };
})
"""
    Path("hand").mkdir()
    Path("hand/user.nix").write_text(text, encoding="utf-8")
    result = tvarc("import", "hand", "-o", "hand.tvar", "--nix")
    assert "proven for 1 of 1 recipe" in result.stderr, result.output
    program = Path("hand.tvar").read_text(encoding="utf-8")
    assert program.count('pname = "zlib";') == program.count('pname = "more";') == 2, program
    assert program.count("zlib-2 = pkgs.stdenv.mkDerivation {") == 2, program
