"""`tvarc import` on the command line: what it writes, where, and how it ends."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from support.command import calls, tvarc
from support.families import family, planted, put

PROGRAM = "variants.tvar"


@pytest.fixture(autouse=True)
def pkgs(here: Path) -> Path:
    return put(here, family("chain"))


def text() -> str:
    return Path(PROGRAM).read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_is_there_is_never_overwritten() -> None:
    Path(PROGRAM).write_text("# mine\n", encoding="utf-8")
    done = tvarc("import", "pkgs")
    assert done.exit_code == 1 and "error[E801]" in done.output
    assert text() == "# mine\n"
    Path("told.txt").write_text("mine\n", encoding="utf-8")
    done = tvarc("import", "pkgs", "-o", "other.tvar", "--report", "told.txt")
    assert done.exit_code == 1 and "error[E801]" in done.output
    assert Path("told.txt").read_text(encoding="utf-8") == "mine\n"


def test_nothing_is_written_into_the_folder(pkgs: Path) -> None:
    for option in ("-o", "--report"):
        for place in ("pkgs/new.tvar", f"{pkgs}/new.tvar", "pkgs/../pkgs/new.tvar"):
            done = tvarc("import", "pkgs", option, place)
            assert done.exit_code == 1 and "error[E803]" in done.output
    assert not list(pkgs.glob("*.tvar"))


@pytest.mark.slow
def test_a_dry_run_prints_the_program_and_writes_nothing() -> None:
    done = tvarc("import", "pkgs", "--dry-run")
    assert done.exit_code == 0 and not Path(PROGRAM).exists()
    assert tvarc("import", "pkgs").exit_code == 0
    assert done.stdout == text()
    assert "12 files in pkgs: 12 imported" in done.stderr


def test_files_in_folders_of_their_own_are_adopted_where_they_are(tmp_path: Path) -> None:
    """`a/default.nix`, `sets/x.nix` and `one.nix` two steps below the program. An argument may have
    the name of such a folder."""
    recipes = tmp_path / "deep/recipes"
    there = {
        "a/default.nix": 'stdenv.mkDerivation { pname = "a"; patches = [ ./fix.patch ]; }',
        "user/default.nix": 'stdenv.mkDerivation { pname = "user"; tool = b; }',
        "b/default.nix": 'stdenv.mkDerivation { pname = "b"; patches = [ ./fix.patch ]; }',
        "sets/x.nix": 'stdenv.mkDerivation { name = "x-1"; }',
        "one.nix": 'stdenv.mkDerivation { name = "one-1"; }',
    }
    for name, text in there.items():
        file = recipes / name
        file.parent.mkdir(parents=True, exist_ok=True)
        formals = "stdenv, b" if "= b;" in text else "stdenv"
        file.write_text(f"{{ {formals} }}: {text}\n", encoding="utf-8")
        (file.parent / "fix.patch").write_text("", encoding="utf-8")
    assert tvarc("import", "deep/recipes").exit_code == 0
    built = tvarc("build", "--adopt", "--no-git")
    assert built.exit_code == 0 and "5 written" in built.output
    kept = {str(file.relative_to(recipes)) for file in recipes.rglob("*.orig")}
    assert kept == {f"{name}.orig" for name in there}
    assert all("Made by tvarc" in (recipes / name).read_text("utf-8") for name in there)
    assert "(./.. + \"/a/fix.patch\")" in (recipes / "a/default.nix").read_text("utf-8")
    for folder in ((), ("deep/recipes",)):
        audited = tvarc("audit", *folder)
        assert audited.exit_code == 0 and "5 up to date" in audited.output


def test_without_a_cache_each_module_of_the_library_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = calls(monkeypatch, "tvarc.syntax.parser.parse_module", lambda source, *_: source.file)
    assert tvarc("import", "pkgs", "--dry-run", "--no-cache").exit_code == 0
    # One of two times is for the tables that axes are made of.
    counts = Counter(file for file in read if file.startswith("std/"))
    assert {*counts.values()} <= {1, 2}


@pytest.mark.slow
def test_check_tells_whether_the_program_would_be_another() -> None:
    assert tvarc("import", "pkgs", "--check").exit_code == 3
    assert not Path(PROGRAM).exists()
    assert tvarc("import", "pkgs").exit_code == 0
    assert tvarc("import", "pkgs", "--check").exit_code == 0
    Path(PROGRAM).write_text(text() + "# more\n", encoding="utf-8")
    assert tvarc("import", "pkgs", "--check").exit_code == 3


@pytest.mark.slow
def test_the_report_is_written_as_text_or_as_json() -> None:
    done = tvarc("import", "pkgs", "--report", "told.txt")
    assert Path("told.txt").read_text(encoding="utf-8") == done.stdout
    assert tvarc("import", "pkgs", "-o", "b.tvar", "--report", "told.json").exit_code == 0
    data = json.loads(Path("told.json").read_text(encoding="utf-8"))
    assert len(data["imported"]) == 12 and data["matrices"] == 1


@pytest.mark.slow
def test_exit_codes_tell_of_drift_and_of_what_is_not_imported(pkgs: Path) -> None:
    assert tvarc("import", "pkgs", "--dry-run").exit_code == 0
    (pkgs / "bad.nix").write_text("{", encoding="utf-8")
    assert tvarc("import", "pkgs", "--dry-run").exit_code == 3
    (pkgs / "bad.nix").unlink()
    put(pkgs.parent, planted('pname = "pytorch', 'pname = "other'))
    assert tvarc("import", "pkgs", "--dry-run").exit_code == 3


@pytest.mark.parametrize(
    ("names", "line"),
    [
        (["a"], "1 test was imported as Nix text: `tvarc test` does not run it: a"),
        (
            ["a", "b", "c", "d"],
            "4 tests were imported as Nix text: `tvarc test` does not run them: a, b, c and 1 more",
        ),
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "(old.passthru.tests or { }) // { TESTS }",
        "{ TESTS }",
    ],
)
def test_tests_that_tvarc_does_not_run_are_named(
    here: Path, names: list[str], line: str, form: str
) -> None:
    tests = " ".join([f'{one} = pkgs.runCommand "{one}" {{ }} "touch $out";' for one in names])
    added = form.replace("TESTS", tests)
    attributes = f"passthru = (old.passthru or {{ }}) // {{ tests = {added}; }};"
    recipe = f"{{ pkgs }}: pkgs.hello.overrideAttrs (old: {{ {attributes} }})\n"
    put(here, {"recipes/hello.nix": recipe})
    done = tvarc("import", "recipes", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["tests"] == names
    assert line in tvarc("import", "recipes", "--check").output.split("\n")


def test_no_tests_are_named_if_there_are_none(pkgs: Path) -> None:
    assert json.loads(tvarc("import", "pkgs", "--dry-run", "--json").stdout)["tests"] == []


def _of_a_folder(here: Path, arguments: str) -> None:
    """A recipe that imports the folder `nixpkgs` with *arguments*, and that folder."""
    recipe = (
        "{ pkgs }:\nlet\n  pinned = import ../nixpkgs {\n    inherit (pkgs) system;\n"
        f"    {arguments}\n  }};\nin\npinned.hello.override {{ static = true; }}\n"
    )
    lines = "".join([f"  a{one + 1} = [ a{one} a{one} ];\n" for one in range(20)])
    large = f"{{ ... }}:\nlet\n  a0 = 1;\n{lines}in\n{{ hello.override = a20; }}\n"
    put(here, {"recipes/hello.nix": recipe, "nixpkgs/default.nix": large})


@pytest.mark.parametrize(
    "arguments", ["config = { }; overlays = [ ];", "config.allowUnfree = true;"]
)
def test_a_nixpkgs_that_is_a_folder_becomes_a_pin(here: Path, arguments: str) -> None:
    _of_a_folder(here, arguments)
    if "overlays" not in arguments:
        put(here, {"nixpkgs/pkgs/top-level/default.nix": "{ }\n"})
    tvarc("import", "recipes", code=0)
    made = Path(PROGRAM).read_text(encoding="utf-8")
    assert "pin nixpkgs {" in made and 'path = "./nixpkgs"' in made
    assert "package = pkgs.hello" in made
    assert ("allowUnfree" in made) == ("allowUnfree" in arguments)


def test_a_folder_that_fetches_a_nixpkgs_is_followed(here: Path) -> None:
    _of_a_folder(here, "config = { }; overlays = [ ];")
    fetched = 'fetchTarball { url = "https://example.org/n.tar.gz"; }'
    put(here, {"nixpkgs/default.nix": f"arguments: import ({fetched}) arguments\n"})
    assert tvarc("import", "recipes").exit_code == 0
    assert 'url = "https://example.org/n.tar.gz"' in Path(PROGRAM).read_text(encoding="utf-8")


def test_a_reason_names_the_import_that_is_too_large(here: Path) -> None:
    _of_a_folder(here, "")
    done = tvarc("import", "recipes")
    assert done.exit_code == 1 and "name the folder" not in done.output
    told = " ".join(done.output.replace("\n          ", " ").split())
    assert (
        "hello.nix:3: with `../nixpkgs/default.nix`, which it imports, it has more than "
        "200000 parts with its names resolved"
    ) in told


def test_a_folder_without_recipes_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = tvarc("import", "empty")
    assert done.exit_code == 1 and "error[E961]: nothing in `empty` can be imported" in done.output
    assert "it has no recipes" in done.output
    done = tvarc("import", "nowhere")
    assert done.exit_code == 1 and "error[E106]" in done.output
    assert not Path(PROGRAM).exists()


@pytest.mark.slow
def test_descriptions_may_be_left_to_the_package() -> None:
    assert tvarc("import", "pkgs", "--text", "drop").exit_code == 0
    assert "description" not in text() and "platforms" in text()
    assert "12 variants, 0 errors" in tvarc("check").output


@pytest.mark.slow
def test_descriptions_may_have_a_module_of_their_own(pkgs: Path) -> None:
    for path in sorted(pkgs.glob("*.nix")):
        made = path.read_text(encoding="utf-8")
        for kind in ("full", "small"):
            more = f"      longDescription = ''\n        {kind}\n        and\n      '';\n"
            more += "        license = 1;" if kind == "small" else ""
            named = made.replace(path.stem, f"{path.stem}-{kind}")
            (pkgs / f"{path.stem}-{kind}.nix").write_text(
                named.replace("      platforms", f"{more}\n      platforms"), encoding="utf-8"
            )
        path.unlink()
    assert tvarc("import", "pkgs", "--text", "module").exit_code == 0
    texts = Path("variants-texts.tvar").read_text(encoding="utf-8")
    assert 'use "./variants-texts.tvar"' in text() and "with pytorch-texts {" in text()
    assert "escription" not in text() and "PyTorch for {{upper(gpu)}}" in texts
    assert 'axis kind = ["full", "small"]' in texts and "axis kind =" not in text()
    assert tvarc("fmt", "--check", PROGRAM, "variants-texts.tvar").exit_code == 0
    assert "24 variants, 0 errors" in tvarc("check").output
    assert tvarc("import", "pkgs", "--text", "module", "--check").exit_code == 0
    Path("variants-texts.tvar").write_text(texts + "# mine\n", encoding="utf-8")
    assert tvarc("import", "pkgs", "--text", "module", "--check").exit_code == 3
    done = tvarc("import", "pkgs", "--text", "module", "--dry-run")
    assert done.stdout == f"{text()}\n{texts}"
    Path(PROGRAM).unlink()
    done = tvarc("import", "pkgs", "--text", "module")
    assert done.exit_code == 1 and "E801" in done.output
    assert Path("variants-texts.tvar").read_text(encoding="utf-8") == texts + "# mine\n"


@pytest.mark.slow
def test_an_axis_may_be_named_by_its_words(pkgs: Path) -> None:
    for path in sorted(pkgs.glob("*.nix")):
        made = path.read_text(encoding="utf-8")
        for kind in ("full", "small"):
            name = f"{path.stem}-{kind}"
            (pkgs / f"{name}.nix").write_text(made.replace(path.stem, name), encoding="utf-8")
        path.unlink()
    assert 'axis kind = ["full", "small"]' in tvarc("import", "pkgs", "--dry-run").stdout
    assert tvarc("import", "pkgs", "--axis", "size=[fs]*l*").exit_code == 0
    assert 'axis size = ["full", "small"]' in text()
    assert re.search(r"axes += gpu \* isa \* size", text())
    done = tvarc("import", "pkgs", "--axis", "size")
    assert done.exit_code == 2 and "NAME=GLOB" in done.output


@pytest.mark.parametrize("out", [(), ("-o", "./variants.tvar")])
def test_a_report_is_no_program(out: tuple[str, ...]) -> None:
    done = tvarc("import", "pkgs", *out, "--report", "variants.tvar")
    assert done.exit_code == 2 and "is also the file of the program" in done.output
    assert not Path("variants.tvar").exists()


@pytest.mark.slow
def test_names_of_several_shapes_are_several_matrices(pkgs: Path) -> None:
    for isa in ("avx2", "avx512"):
        made = (pkgs / f"pytorch-sm90-{isa}.nix").read_text(encoding="utf-8")
        name = f"pytorch-cpu-{isa}"
        made = made.replace(f"pytorch-sm90-{isa}", name).replace("cudaSupport = true", "a = 1")
        (pkgs / f"{name}.nix").write_text(made, encoding="utf-8")
    assert tvarc("import", "pkgs").exit_code == 0
    assert text().count("\nmatrix ") == 2 and text().count(" extends common {") == 2
    assert re.search(r"axes += isa\[avx2, avx512\]", text())


@pytest.mark.slow
def test_cells_without_a_file_are_excluded(pkgs: Path) -> None:
    for isa in ("avx512", "avx512vnni"):
        (pkgs / f"pytorch-sm80-{isa}.nix").unlink()
    assert tvarc("import", "pkgs").exit_code == 0
    assert text().count("exclude ") == 1
    assert 'exclude gpu == sm80 and isa != avx2 because "no file has it"' in text()
    assert "10 variants" in tvarc("check").output


@pytest.mark.slow
def test_a_flake_that_calls_files_is_imported(tmp_path: Path) -> None:
    files = {
        "flake.nix": """{
  inputs.nixpkgs.url = "github:NixOS/nixpkgs";
  outputs = { self, nixpkgs }: let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {
    packages.x86_64-linux = {
      tool-sm80 = pkgs.callPackage ./nix/tool.nix { target = "8.0"; level = 1; };
      tool-sm90 = pkgs.callPackage ./nix/tool.nix { target = "9.0"; level = 1; };
      own-4 = pkgs.callPackage ./nix/a.nix { };
      own-5 = pkgs.callPackage ./nix/b.nix { };
      odd = pkgs.callPackage ./nix/tool.nix { target = self.rev; level = 2; };
    };
  };
}
""",
        "nix/tool.nix": "{ hello, target, level }:\n"
        "hello.overrideAttrs (old: { inherit target level; })\n",
        "nix/a.nix": '{ zlib }:\nzlib.overrideAttrs (old: { pname = "four"; })\n',
        "nix/b.nix": '{ zlib }:\nzlib.overrideAttrs (old: { pname = "five"; })\n',
    }
    put(tmp_path, {f"repo/{path}": made for path, made in files.items()})
    done = tvarc("import", "repo", code=3)
    assert "flake.nix#odd:1: the call passes a value of the flake: `self`" in done.output
    made = text()
    assert "axis gpu    = nvidia[sm80, sm90]" in made and 'name = "tool-{{gpu}}"' in made
    assert (
        'package = path("./repo/nix/tool.nix")' in made and 'target = "{{gpu.capability}}"' in made
    )
    assert 'name = "own-{{series}}"' in made and 'axis series = ["4", "5"]' in made
    assert "read by the recipes: nix/tool.nix" in done.output
    assert tvarc("check").exit_code == 0


@pytest.mark.slow
def test_folders_that_all_recipes_lie_in_are_no_part_of_their_names(tmp_path: Path) -> None:
    for gpu in ("sm80", "sm90"):
        text_of = '{ hello }:\nhello.overrideAttrs (old: { pname = "' + gpu + '"; })\n'
        put(tmp_path, {f"repo/nix/pkgs/tool-{gpu}.nix": text_of})
    assert tvarc("import", "repo").exit_code == 0
    assert 'name = "tool-{{gpu}}"' in text()
    assert 'file = "repo/nix/pkgs/{{variant}}.nix"' in text()
    packages = " ".join([f"{one} = pkgs.callPackage ./own/{one}.nix {{ }};" for one in "ab"])
    put(tmp_path, {f"flake/own/{one}.nix": "{ zlib }:\nzlib.override { }\n" for one in "ab"})
    called = f"{{ packages.x86_64-linux = {{ {packages} }}; }}"
    flake = "{ inputs.nixpkgs.url = \"github:NixOS/nixpkgs\"; outputs = { self, nixpkgs }:\n"
    flake += f"let pkgs = nixpkgs.legacyPackages.x86_64-linux; in {called}; }}\n"
    put(tmp_path, {"flake/flake.nix": flake})
    assert tvarc("import", "flake", "-o", "called.tvar").exit_code == 0
    assert 'file = "flake/own/{{variant}}.nix"' in Path("called.tvar").read_text("utf-8")


@pytest.mark.slow
def test_recipes_one_level_deeper_and_for_callpackage(tmp_path: Path) -> None:
    for minor in ("4", "5", "6"):
        folder = tmp_path / "flake" / f"tool-{minor}"
        folder.mkdir(parents=True)
        (folder / "default.nix").write_text(
            f"""{{ lib, stdenv, fetchurl, zlib }}:
stdenv.mkDerivation rec {{
  pname = "tool";
  version = "{minor}.1";
  src = fetchurl {{
    url = "https://example.org/tool-${{version}}.tar.gz";
    hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  }};
  buildInputs = [ zlib ];
  meta = with lib; {{ license = licenses.mit; }};
}}
""",
            encoding="utf-8",
        )
    assert tvarc("import", "flake").exit_code == 0
    made = text()
    assert 'axis series = ["4", "5", "6"]' in made and "pin     = none" in made
    assert "call(pkgs.stdenv.mkDerivation, {" in made
    assert tvarc("check").exit_code == 0


@pytest.mark.slow
def test_all_is_written_or_nothing(pkgs: Path) -> None:
    for path in pkgs.glob("*.nix"):
        made = path.read_text(encoding="utf-8")
        path.write_text(made.replace("description =", 'longDescription = "It is."; description ='))
    Path("variants-texts.tvar").write_text("mine\n", encoding="utf-8")
    done = tvarc("import", "pkgs", "--report", "told.txt")
    assert done.exit_code == 1 and "error[E801]" in done.output
    assert not Path(PROGRAM).exists() and not Path("told.txt").exists()
    assert "written" not in done.stdout
    done = tvarc("import", "pkgs", "-o", "no/such/folder.tvar", "--report", "told.txt")
    assert done.exit_code == 1 and "error[E802]" in done.output and not Path("told.txt").exists()


@pytest.mark.slow
def test_names_of_any_bytes_are_told(pkgs: Path) -> None:
    good = (pkgs / min(path.name for path in pkgs.glob("*.nix"))).read_bytes()
    good_names = (b"with space.nix", b"{{x}}.nix", b"-o.nix")
    for name in (*good_names, b"\xff\xfe.nix", b"line\n.nix", b"\\.nix"):
        (Path(bytes(pkgs).decode()) / name.decode("utf-8", "surrogateescape")).write_bytes(good)
    done = tvarc("import", "pkgs", "--report", "told.txt")
    assert done.exit_code == 3 and "15 imported" in done.stdout
    told = Path("told.txt").read_text(encoding="utf-8")
    assert told.count("cannot be a variant's name") == 3
    made = Path("variants.tvar").read_text(encoding="utf-8")
    assert all(f'"{name}"' in made for name in ("with space", "\\{{x}}", "-o")), made
    assert "\\udcff\\udcfe.nix:1" in told and "line\\n.nix:1" in told


@pytest.mark.slow
def test_names_that_differ_in_case_are_one(pkgs: Path) -> None:
    first = min(pkgs.glob("*.nix"))
    (pkgs / first.name.replace("pytorch", "PyTorch")).write_bytes(first.read_bytes())
    done = tvarc("import", "pkgs")
    assert done.exit_code == 3 and "12 imported" in done.stdout
    assert "has the same name, except for upper and lower case" in done.stdout


@pytest.mark.slow
def test_a_pattern_that_no_word_is_like_is_told() -> None:
    done = tvarc("import", "pkgs", "--dry-run", "--axis", "board=zz*")
    assert "--axis board=zz*: matches no word of a file name" in done.stderr
    assert tvarc("import", "pkgs", "--axis", "if=sm*").exit_code == 2
    assert tvarc("import", "pkgs", "--axis", "9=sm*").exit_code == 2
