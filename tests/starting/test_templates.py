"""What `tvarc init` writes is a program that builds: laid out, locked, without a warning, and the
same as by hand."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from support.command import tvarc
from support.compile import ROOT
from support.nix import requires_nix
from support.recipes import drv_paths, evaluate
from support.services import demand_good_workflows, read_yaml
from tvarc.advice.library.tables import load_library
from tvarc.build.lock.printer import lock_text
from tvarc.build.lock.reader import parse_lock
from tvarc.commands.init import AGENTS, TEMPLATES, about
from tvarc.commands.table import COMMANDS
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir, templates_dir
from tvarc.syntax.format.format import format_source
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

pytestmark = pytest.mark.usefixtures("here")

PIN = "nixpkgs-0182a36"
COMMIT = "6a030d535719c5190187c4cec156f335e95e3211"
VARIANTS = {"package": 4, "torch": 5, "python-set": 4, "from-scratch": 4}
each = pytest.mark.parametrize("template", TEMPLATES)


def begin(template: str) -> None:
    tvarc("init", "--template", template, "--tvarc", f"github:example/tvarc/{COMMIT}", code=0)


def text_of(template: str, name: str = "variants.tvar") -> str:
    return (ROOT / "templates" / template / name).read_text(encoding="utf-8")


def test_the_folders_are_the_templates() -> None:
    folders = {path.name for path in Path(templates_dir()).iterdir()}
    assert folders == {*TEMPLATES, "around"}
    assert VARIANTS.keys() == {*TEMPLATES}


@pytest.mark.slow
def test_what_agents_are_told_is_true() -> None:
    """Each command that the page names is one, with its options, and takes the example's words."""
    begin("torch")
    text = Path(AGENTS).read_text(encoding="utf-8")
    lines = re.findall(r"`tvarc ([^`]+)`", text)
    assert len(lines) > 10
    for line in lines:
        name, *words = line.split()
        options = {one.option for one in COMMANDS[name].parameters}
        assert {word for word in words if word.startswith("--")} <= options, line
    variant = json.loads(tvarc("list", "--json").stdout)[0]["name"]
    for line in lines:
        example = line.replace("VARIANT PATH", f"{variant} attrs.pname").replace("LINE", "20")
        if not example.startswith(("lock", "diff", "build", "realise", "test")):
            assert tvarc(*example.split()).exit_code == 0, example


@pytest.mark.slow
@each
def test_it_builds_without_a_word_of_complaint(template: str) -> None:
    begin(template)
    done = tvarc("build", "--locked", "--no-git")
    count = VARIANTS[template]
    assert done.output == f"{count} recipes in .flox/pkgs: {count} written, 0 unchanged\n"
    assert tvarc("check").output == f"{count} variants, 0 errors, 0 warnings\n"
    assert tvarc("fmt", "--check").exit_code == 0


@each
def test_its_lock_is_as_the_command_writes_it(template: str) -> None:
    begin(template)
    assert tvarc("lock", "--check").exit_code == 0
    before = Path("tvar.lock").read_bytes()
    assert "unused" not in tvarc("lock", "--prune").output
    assert Path("tvar.lock").read_bytes() == before
    sink = Sink()
    lock = parse_lock(Source("tvar.lock", before.decode()), sink)
    assert not sink.has_errors
    assert lock_text(lock.entries.values()).encode() == before


@pytest.mark.slow
@each
def test_its_pin_is_one_that_the_library_knows(template: str) -> None:
    """Commit, hash, release and date are those of one row, so that they fit each other."""
    row = load_library(DiskLoader(stdlib_dir())).tables["nixpkgs-pin"].rows[PIN]
    text, lock = text_of(template), text_of(template, "tvar.lock")
    facts = {name: str(getattr(one.value, "text", one.value)) for name, one in row.facts.items()}
    assert f'rev     = "{facts["rev"]}"' in text and facts["rev"] in lock
    assert f'hash = "{facts["hash"]}"' in lock
    assert f"release = {facts['release']}\n" in text
    assert f'date    = "{facts["date"]}"' in text


@each
def test_its_comments_teach(template: str) -> None:
    """Each declaration but the few that are like the one before has a comment over it."""
    text = text_of(template)
    assert 30 < len(about(template)) < 58  # a line of a narrow terminal, after number and name
    for word in ("pin", "axis", "recipe", "matrix", "output"):
        assert re.search(rf"^# .*\n{word} ", text, re.MULTILINE), word


@pytest.mark.slow
@each
def test_what_its_comments_name_is_there(template: str) -> None:
    """The commands in its comments are commands, and those that read are right ones."""
    begin(template)
    named = re.findall(r"`tvarc ([^`]+)`", text_of(template))
    assert "build" in named
    variant = tvarc("list").stdout.split()[0]
    for line in named:
        words = shlex.split(line.replace("NAME", variant))
        if words[0] in ("list", "explain", "facts"):
            assert tvarc(*words).exit_code == 0, line
        elif words[0] == "bump":
            words = ["2.12.2" if word == "VERSION" else word for word in words]
            words = ["6a030d535719c5190187c4cec156f335e95e3211" if w == "REV" else w for w in words]
            done = tvarc(*words, "--dry-run")
            assert done.exit_code == 0 and "tvarc lock" in done.output, done.output
        else:
            assert words[0] in ("build", "lock", "pick"), line


# --- Nix ------------------------------------------------------------------------------------------


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@each
def test_nix_takes_each_recipe(template: str, here: Path) -> None:
    begin(template)
    tvarc("build", "--no-git")
    made = evaluate(sorted(here.glob(".flox/pkgs/*.nix")), pure=True)
    assert len({one["drvPath"] for one in made.values()}) == VARIANTS[template]


PINNED = """\
{ pkgs ? { stdenv.hostPlatform.system = "x86_64-linux"; } }:
let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };
  p =
    config: overlays:
    import nixpkgs { inherit (pkgs.stdenv.hostPlatform) system; inherit config overlays; };
in
"""
BY_HAND = {
    "package": (
        "ffmpeg-lgpl-x86-64-v4",
        "((p { } [ ]).ffmpeg.override { withGPL = false; withX264 = false; withX265 = false; })"
        ".overrideAttrs (old: { configureFlags = old.configureFlags"
        ' ++ [ "--extra-cflags=-march=x86-64-v4" ]; })',
    ),
    "torch": (
        "pytorch-cpu-avx2",
        "((p { allowUnfree = true; } [ ]).python3Packages.torch.override"
        " { cudaSupport = false; rocmSupport = false; }).overrideAttrs (old: {"
        ' pname = "pytorch-cpu-avx2";'
        " preConfigure = toString (old.preConfigure or \"\") + ''\n"
        '  export CXXFLAGS="-mavx2 -mfma -mf16c $CXXFLAGS"\n'
        '  export CFLAGS="-mavx2 -mfma -mf16c $CFLAGS"\n'
        "  export BLAS=OpenBLAS\n''; })",
    ),
    "python-set": (
        "py313-mkl",
        "(p { allowUnfree = true; } [ (final: prev: {"
        " blas = prev.blas.override { blasProvider = final.mkl; };"
        " lapack = prev.lapack.override { lapackProvider = final.mkl; };"
        " pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [ (f: q: {"
        " scipy = q.scipy.overrideAttrs (_: { doInstallCheck = false; }); }) ];"
        " }) ]).python313.withPackages (ps: [ ps.numpy ps.scipy ])",
    ),
    "from-scratch": (
        "hello-x86-64-v3-english",
        "let q = p { } [ ]; in (q.stdenv.mkDerivation {"
        ' pname = "hello"; version = "2.12.1"; src = q.fetchurl {'
        ' url = "https://ftp.gnu.org/gnu/hello/hello-2.12.1.tar.gz";'
        ' hash = "sha256-jZkUKv2SV28wsM18tCqNxoCZmLxdYH2Idh9RLibH2yA="; }; }).overrideAttrs'
        ' (old: { doCheck = true; configureFlags = [ "--disable-nls" ];'
        ' env = { NIX_CFLAGS_COMPILE = "-march=x86-64-v3"; };'
        " postInstall = ''\n  mkdir -p $out/share/hello\n"
        "  echo hello-x86-64-v3-english > $out/share/hello/variant\n''; })",
    ),
}


@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.once
@each
def test_it_is_built_as_by_hand(template: str, here: Path) -> None:
    begin(template)
    tvarc("build", "--no-git")
    name, text = BY_HAND[template]
    by_hand = here / "by-hand.nix"
    by_hand.write_text(PINNED + text, encoding="utf-8")
    made = drv_paths({"made": here / f".flox/pkgs/{name}.nix", "by hand": by_hand})
    assert made["made"] == made["by hand"]


# --- CI and git -----------------------------------------------------------------------------------


def workflow() -> str:
    return Path(".github/workflows/tvarc.yml").read_text(encoding="utf-8")


def test_the_workflow_installs_a_commit() -> None:
    """Nothing is installed by a name that somebody else may have."""
    begin("package")
    steps = read_yaml(workflow())["jobs"]["recipes"]["steps"]
    assert steps[2]["env"] == {"TVARC": f"git+https://github.com/example/tvarc@{COMMIT}"}
    assert [one["run"] for one in steps if "pip" in one.get("run", "")] == [
        'pip install --quiet "$TVARC"'
    ]


@pytest.mark.slow
def test_its_own_tools_take_the_workflow() -> None:
    begin("package")
    path = Path(".github/workflows/tvarc.yml")
    demand_good_workflows([path])


@pytest.mark.slow
@each
def test_what_the_workflow_runs(template: str) -> None:
    """It passes where the recipes are those of the program, and fails where they are not."""
    begin(template)
    lines = [shlex.split(line) for line in re.findall(r"- run: tvarc (.*)", workflow())]
    assert len(lines) == 3
    tvarc("build", "--no-git")
    assert [tvarc(*words).exit_code for words in lines] == [0, 0, 0]
    program = Path("variants.tvar")
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace("description = ", 'homepage = "x"\ndescription = ', 1))
    next(Path().glob(".flox/pkgs/*.nix")).unlink()
    assert tvarc(*lines[-1]).exit_code == 3
    program.write_text(text + "exclude nothing\n", encoding="utf-8")
    assert [tvarc(*words).exit_code for words in lines[1:]] == [1, 1]


def test_git_merges_recipes_and_github_colours_programs_as_the_documents_say() -> None:
    begin("package")
    shown = re.search(r"```text\n(/\.flox/pkgs.*)\n```", text_of("../docs", "several.md"))
    assert shown is not None
    lines = Path(".gitattributes").read_text(encoding="utf-8").splitlines()
    colours = "*.tvar linguist-language=Nix"
    results = "/tvarc-results.jsonl merge=union"
    assert [line for line in lines if not line.startswith("#")] == [shown[1], results, colours]


def test_every_source_is_in_the_layout() -> None:
    for template in TEMPLATES:
        text = text_of(template)
        assert format_source(Source("variants.tvar", text), Sink()) == text
