"""tvarc as a package of Nix: by `default.nix`, by the flake, and as Flox finds it."""

from __future__ import annotations

import shutil
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from support.command import ROOT
from support.nix import requires_nix
from support.recipes import MODEL, nix_instantiate
from support.wheel import build_wheel, wheel_of_checkout
from tvarc import __version__

pytestmark = [requires_nix, pytest.mark.nix]

# The model has no readers of Nix: packages that it has take their places.
OVERLAY = """(final: prev: {
  pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
    (self: _: {
      tree-sitter = self.six;
      tree-sitter-grammars.tree-sitter-nix = self.filelock;
    })
  ];
})"""
PKGS = f'(import {MODEL} {{ system = "x86_64-linux"; overlays = [ {OVERLAY} ]; }})'
SYSTEMS = ("x86_64-linux", "aarch64-linux", "x86_64-darwin", "aarch64-darwin")
_OUTPUTS = (
    f"((import {ROOT}/flake.nix).outputs {{ self = {{ }}; nixpkgs.legacyPackages = "
    f"builtins.mapAttrs (system: _: "
    f"import {MODEL} {{ inherit system; overlays = [ {OVERLAY} ]; }}) "
    f"{{ {' '.join(f'{system} = null;' for system in SYSTEMS)} }}; }})"
)
WAYS = {
    "default.nix": f"import {ROOT}/default.nix {{ pkgs = {PKGS}; }}",
    "Flox": f"{PKGS}.callPackage {ROOT}/.flox/pkgs/tvarc.nix {{ }}",
    "the flake": f"{_OUTPUTS}.packages.x86_64-linux.default",
    "its overlay": f"({_OUTPUTS}.overlays.default {PKGS} {PKGS}).tvarc",
}


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of its own, into which sources are put."""
    for name, value in {
        "NIX_STORE_DIR": tmp_path / "store",
        "NIX_STATE_DIR": tmp_path / "var",
        "NIX_LOG_DIR": tmp_path / "log",
        "XDG_CACHE_HOME": tmp_path / "cache",
        "NIX_CONF_DIR": ROOT / ".ci",
    }.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("NIX_PATH", raising=False)
    return tmp_path


def value(expression: str) -> str:
    command = [nix_instantiate(), "--eval", "--strict", "--read-write-mode", "-E", expression]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().strip('"')


@pytest.mark.slow
@pytest.mark.usefixtures("asked")
def test_all_ways_are_one_derivation() -> None:
    found = {way: value(f"({expression}).drvPath") for way, expression in WAYS.items()}
    assert len(set(found.values())) == 1, found
    assert value(f"({WAYS['default.nix']}).name").endswith(f"tvarc-{__version__}")
    assert value(f"({WAYS['default.nix']}).meta.mainProgram") == "tvarc"


@pytest.mark.usefixtures("asked")
def test_it_has_what_the_package_says_it_needs() -> None:
    """What reads Nix among it."""
    names = 'builtins.concatStringsSep " " (map (one: one.pname) ({}).passthru.dependencies)'
    assert value(names.replace("{}", WAYS["default.nix"])) == "lark tomlkit six filelock typer"


@pytest.mark.usefixtures("asked")
def test_the_flake_has_it_for_all_systems() -> None:
    names = f'builtins.concatStringsSep " " (builtins.attrNames {_OUTPUTS}.packages)'
    assert value(names) == " ".join(sorted(SYSTEMS))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheel_of_checkout(tmp_path_factory)


@pytest.mark.once
@pytest.mark.slow
def test_its_source_is_all_that_a_wheel_is_made_of(wheel: Path, asked: Path) -> None:
    """A wheel that is built of what Nix builds of has the files that one of the checkout has."""
    source = value(f"({WAYS['default.nix']}).src")
    assert Path(source).is_dir()
    copy = asked / "copy"
    shutil.copytree(source, copy)
    for place in (copy, *copy.rglob("*")):  # what is in a store cannot be written to
        place.chmod(place.stat().st_mode | stat.S_IWUSR)
    mine, theirs = (
        set(zipfile.ZipFile(one).namelist()) for one in (build_wheel(copy, asked / "one"), wheel)
    )
    assert mine == theirs
