"""`examples/spark-nightly`, judged by real Nix: both ways to CUDA packages of others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.command import tvarc
from support.compile import codes, lints, messages
from support.examples import EXAMPLES, block, compiled, copied, recipes
from support.nix import requires_nix
from support.recipes import MODEL, evaluate, model_value

pytestmark = [requires_nix, pytest.mark.nix, pytest.mark.once]

EXAMPLE = "spark-nightly"
NAME = "pytorch-python313-cuda13_0-sm121-armv9-nightly"
PARTS = {
    "cudatoolkit": "13.0.88",
    "cudnn": "9.13.0.50",
    "nccl": "2.28.7-1",
    "libcusparse_lt": "0.8.1.1",
}
REV = "0696b3dbc42d8ec2de3e1edcc09ca9d1161db73a"
INPUT = f"https://github.com/barstoolbluz/build-cudatoolkit/archive/{REV}.tar.gz"


def sibling(folder: Path) -> Path:
    """A checkout of the sibling repository: what its four files are."""
    files = folder / "build-cudatoolkit" / ".flox" / "pkgs"
    files.mkdir(parents=True)
    for part in PARTS:
        text = f"{{ cudaPackages_13 }}:\n\ncudaPackages_13.{part}\n"
        (files / f"{part}-13_0.nix").write_text(text, encoding="utf-8")
    return folder / "build-cudatoolkit"


def nixpkgs(folder: Path) -> None:
    """The model, in which the four packages have the versions of the guide and a mark that they
    are of `cudaPackages_13_0` itself."""
    versions = "".join(
        f'{part} = prev.{part}.overrideAttrs (_: {{ version = "{version}"; }});\n'
        for part, version in PARTS.items()
    )
    changed = f"prev.cudaPackages_13_0.overrideScope (_: prev: {{ {versions} }})"
    overlays = f"[ (_: prev: {{ cudaPackages_13_0 = {changed}; }}) ] ++ arguments.overlays"
    (folder / "nixpkgs").mkdir()
    (folder / "nixpkgs/default.nix").write_text(
        f"arguments: import {MODEL} (arguments // {{ overlays = {overlays}; }})\n",
        encoding="utf-8",
    )


def pinned_here(root: Path) -> None:
    """The pin of the example becomes the folder that `nixpkgs` makes."""
    shared = root / "spark.tvar"
    text = shared.read_text(encoding="utf-8")
    before = text[text.index("  github  =") : text.index("  config { allowUnfree")]
    shared.write_text(text.replace(before, '  path = "../nixpkgs"\n'), encoding="utf-8")


FETCHED = re.compile(r"nixpkgs = builtins\.fetchTarball \{[^}]*\};")
TOLD = """
package: {
  inherit (package) drvPath version;
  parts = builtins.mapAttrs (_: part: part.version) {
    inherit (package.cudaPackages) cudatoolkit cudnn nccl libcusparse_lt;
  };
  own = builtins.mapAttrs (_: part: part.drvPath) {
    inherit (package.cudaPackages) cudatoolkit cudnn nccl libcusparse_lt;
  };
  description = package.meta.longDescription;
}
"""


@pytest.mark.slow
def test_both_ways_are_one_build_on_the_packages_of_the_guide(tmp_path: Path) -> None:
    nixpkgs(tmp_path)
    checkout = sibling(tmp_path)
    root = copied(EXAMPLE, tmp_path)
    pinned_here(root)
    by_input = recipes(root)[NAME]
    copies = recipes(root, program="copied.tvar")
    assert set(copies) == {NAME, *(f"{part}-13_0" for part in PARTS)}
    siblings = "".join(f"{part}-13_0 = import {copies[f'{part}-13_0']} call;\n" for part in PARTS)
    told = model_value(f"""
      let
        tell = {TOLD};
        call = {{ pkgs.stdenv.hostPlatform.system = "aarch64-linux"; }};
        siblings = {{ {siblings} }};
      in {{
        input = tell (import {by_input} (call // {{ cuda-packages-input = {checkout}; }}));
        copies = tell (import {copies[NAME]} (call // siblings));
        files = builtins.mapAttrs (_: part: part.drvPath) siblings;
      }}
    """)
    for way in ("input", "copies"):
        assert told[way]["parts"] == PARTS
        assert told[way]["version"] == "2.9.0"
        assert "Driver: 580 or newer." in told[way]["description"]
        assert "cuDNN 9.13.0.50, NCCL 2.28.7-1, cuSPARSELt 0.8.1.1." in told[way]["description"]
    assert {f"{part}-13_0": path for part, path in told["copies"]["own"].items()} == told["files"]


@pytest.mark.slow
def test_a_checkout_beside_it_is_the_same_build(tmp_path: Path) -> None:
    nixpkgs(tmp_path)
    checkout = sibling(tmp_path)
    edit = ('  github = "barstoolbluz/build-cudatoolkit"\n', '  path = "../build-cudatoolkit"\n')
    fetched, beside = tmp_path / "fetched", tmp_path / "beside"
    for folder in (fetched, beside):
        folder.mkdir()
        (folder / "nixpkgs").symlink_to(tmp_path / "nixpkgs")
        (folder / "build-cudatoolkit").symlink_to(checkout)
    root = copied(EXAMPLE, fetched)
    other = copied(EXAMPLE, beside, edit)
    text = (other / "variants.tvar").read_text(encoding="utf-8")
    kept = [line for line in text.splitlines(True) if not line.startswith(("  rev ", "  hash "))]
    (other / "variants.tvar").write_text("".join(kept), encoding="utf-8")
    (beside / "build-cudatoolkit").unlink()
    sibling(beside)
    for one in (root, other):
        pinned_here(one)
    told = model_value(f"""
      let call = {{ pkgs.stdenv.hostPlatform.system = "aarch64-linux"; }}; in [
        (import {recipes(root)[NAME]} (call // {{ cuda-packages-input = {checkout}; }})).drvPath
        (import {recipes(other)[NAME]} call).drvPath
      ]
    """)
    assert told[0] == told[1]


@pytest.mark.slow
def test_an_import_builds_the_same_with_its_tests(here: Path) -> None:
    """Its Nix text reads packages of another repository, which are needs there."""
    nixpkgs(here)
    checkout = sibling(here)
    made = recipes(copied(EXAMPLE, here))[NAME]
    tvarc("import", str(made.parent), "-o", "again.tvar", code=0)
    program = (here / "again.tvar").read_text(encoding="utf-8")
    assert program.count('file(build-cudatoolkit, ".flox/pkgs/') == len(PARTS)
    assert "cudnn = needs.cudnn" in program
    tvarc("build", "again.tvar", "--out", "built", "--no-git", code=0)
    (again,) = (here / "built").rglob("*.nix")
    for name, file in (("mine", made), ("again", again)):
        text = FETCHED.sub("nixpkgs = ./nixpkgs;", file.read_text(encoding="utf-8"))
        (here / f"{name}.nix").write_text(text, encoding="utf-8")
    told = model_value(f"""
      let
        call = {{
          pkgs.stdenv.hostPlatform.system = "aarch64-linux";
          cuda-packages-input = {checkout};
          build-cudatoolkit-input = {checkout};
        }};
        tell = file:
          let
            function = import file;
            built = function (builtins.intersectAttrs (builtins.functionArgs function) call);
          in [
            built.drvPath
            built.tests.imports.drvPath
            built.tests.gpu.drvPath
            built.meta.longDescription
          ];
      in map tell [ {here}/mine.nix {here}/again.nix ]
    """)
    assert told[0] == told[1]


@pytest.mark.slow
def test_as_it_stands_it_is_for_a_spark(tmp_path: Path) -> None:
    """All that it fetches is put in its place; it has a hash, but for the source."""
    written = recipes(copied(EXAMPLE, tmp_path))
    found = evaluate(
        written, {NAME: "aarch64-linux"}, sources={INPUT: sibling(tmp_path)}, pure=True
    )
    fact = found[NAME]
    assert fact["torch"] is not None
    assert (fact["torch"]["gpuTargets"], fact["torch"]["cuda"]) == (["12.1"], "13.0")
    assert fact["torch"]["magmaPatches"] == ["cuda-13.0-clockrate-fix.patch"]
    assert "-march=armv9-a+sve2" in fact["phases"]["preConfigure"]
    assert "SM121" in fact["phases"]["postPatch"]
    assert fact["meta"]["platforms"] == ["aarch64-linux"]


@pytest.mark.slow
def test_what_is_in_doubt() -> None:
    """A hash alone; and what the guide states, if a program takes it over."""
    for program in ("variants.tvar", "copied.tvar"):
        made = compiled(EXAMPLES / EXAMPLE, program=program)
        made.recipes()
        assert (codes(made), lints(made)) == (["W002"], []), messages(made)


def test_what_the_guide_states_is_told(tmp_path: Path) -> None:
    root = copied(EXAMPLE, tmp_path)
    (root / "as-stated.tvar").write_text(block(EXAMPLE, "as-stated.tvar"), encoding="utf-8")
    made = compiled(root, program="as-stated.tvar")
    made.recipes()
    assert sorted(lints(made)) == ["cpu-misnamed", "driver-not-stated"]
    (root / "linked.tvar").write_text(block(EXAMPLE, "linked.tvar"), encoding="utf-8")
    (tmp_path / "build-cudatoolkit").mkdir()
    (tmp_path / "build-cudatoolkit/result-cudatoolkit-13_0").symlink_to("/nix")
    assert "and a link can change" in messages(compiled(root, program="linked.tvar"))
