"""Flakes whose packages are files: real Nix finds that what is built is the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from support.command import tvarc
from support.families import put
from support.nix import requires_nix
from support.recipes import drv_paths

REVISION: Final = "0182a361324364ae3f436a63005877674cf45efb"
HASH: Final = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
ADDRESS: Final = f"https://github.com/NixOS/nixpkgs/archive/{REVISION}.tar.gz"
SYSTEM: Final = "x86_64-linux"
PACKAGES: Final = ("codecs", "tool-4", "tool-5", "tool-again", "whole")
ZLIB: Final = "zlib = prev.zlib.overrideAttrs (_: { patches = [ ./zlib.patch ]; })"

FILES: Final = {
    "repo/a.nix": """{ stdenv, zlib, level ? 4 }:
stdenv.mkDerivation {
  pname = "tool";
  version = toString level;
  buildInputs = [ zlib ];
}
""",
    "repo/b.nix": """{ ffmpeg, lib, full }:
(ffmpeg.override { withX264 = full; }).overrideAttrs (old: {
  configureFlags = (old.configureFlags or [ ]) ++ lib.optional full "--enable-gpl";
})
""",
    "repo/whole/default.nix": """{ hello, openssl }:
hello.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [ openssl ];
  patches = [ ./fix.patch ];
})
""",
    "repo/whole/fix.patch": "--- a\n",
    "repo/zlib.patch": "--- a\n",
    "repo/flake.lock": json.dumps(
        {
            "nodes": {
                "nixpkgs": {
                    "locked": {
                        "type": "github", "owner": "NixOS", "repo": "nixpkgs", "rev": REVISION,
                        "narHash": HASH,
                    }
                },
                "root": {"inputs": {"nixpkgs": "nixpkgs"}},
            },
            "root": "root",
            "version": 7,
        }
    ),
}  # fmt: skip

_CALLED: Final = """{
      tool-4 = %(by)s ./a.nix { };
      tool-5 = %(by)s ./a.nix { level = 5; };
      tool-again = %(by)s ./a.nix { };
      codecs = %(by)s ./b.nix { full = true; };
      whole = %(by)s ./whole { };
    }"""


def _called(by: str) -> str:
    return _CALLED % {"by": by}


OUTPUTS: Final = {
    # How outputs are written: the function from inputs to them.
    "one system": f"""{{ self, nixpkgs }}:
    let pkgs = nixpkgs.legacyPackages.{SYSTEM}; in
    {{ packages.{SYSTEM} = {_called("pkgs.callPackage")}; }}""",
    "all systems": f"""{{ self, nixpkgs, ... }}:
    let
      systems = [ "{SYSTEM}" "aarch64-linux" ];
      forAll = nixpkgs.lib.genAttrs systems;
    in
    {{
      packages = forAll (system:
        let pkgs = nixpkgs.legacyPackages.${{system}}; in {_called("pkgs.callPackage")});
    }}""",
    "systems of another flake": f"""{{ self, nixpkgs, utils }}:
    utils.lib.eachDefaultSystem (system:
      let pkgs = import nixpkgs {{ inherit system; config = {{ }}; }}; in
      {{ packages = {_called("pkgs.callPackage")}; }})""",
    "an import with a configuration and an overlay": f"""inputs@{{ self, ... }}:
    let
      system = "{SYSTEM}";
      pkgs = import inputs.nixpkgs {{
        inherit system;
        config.allowUnfree = true;
        overlays = [ (final: prev: {{ {ZLIB}; }}) ];
      }};
      inherit (pkgs) callPackage;
    in
    {{ packages.${{system}} = {_called("callPackage")}; }}""",
}


def _flake(outputs: str) -> str:
    return f"""{{
  inputs.nixpkgs.url = "github:NixOS/nixpkgs";
  outputs = {outputs};
}}
"""


_UTILS: Final = f"""
  inputs.utils.lib.eachDefaultSystem = each: {{ packages.{SYSTEM} = (each "{SYSTEM}").packages; }};
"""


def _package(name: str, more: str) -> str:
    """A recipe for the package *name* of the flake beside it, whose outputs are applied by hand:
    its inputs are the nixpkgs that its lock names, as Nix hands it to a flake, and *more*."""
    return f"""{{ pkgs ? import <nixpkgs> {{ }} }}:
let
  source = builtins.fetchTarball {{ url = "{ADDRESS}"; sha256 = "{HASH}"; }};
  of = system: import source {{ inherit system; }};
  nixpkgs = source // {{
    inherit (of "{SYSTEM}") lib;
    legacyPackages = {{ {SYSTEM} = of "{SYSTEM}"; aarch64-linux = of "aarch64-linux"; }};
  }};
  inputs.self = flake;
  inputs.nixpkgs = nixpkgs;
{more}
  flake = (import ../repo/flake.nix).outputs inputs;
in
flake.packages.{SYSTEM}.{name}
"""


@pytest.mark.once
@pytest.mark.slow
@requires_nix
@pytest.mark.nix
@pytest.mark.parametrize("kind", OUTPUTS)
def test_what_is_built_is_the_same_derivation(kind: str, here: Path) -> None:
    put(here, FILES)
    put(here, {"repo/flake.nix": _flake(OUTPUTS[kind])})
    tvarc("import", "repo", code=0)
    assert tvarc("build", "--out", "built", "--no-git").exit_code == 0
    files = (here / "built").rglob("*.nix")
    built = {str(one.relative_to("/")).removesuffix("/default.nix"): one for one in files}
    built = {Path(name).name.removesuffix(".nix"): one for name, one in built.items()}
    assert sorted(built) == list(PACKAGES)
    more = _UTILS if "utils" in OUTPUTS[kind] else ""
    put(here, {f"asked/{name}.nix": _package(name, more) for name in PACKAGES})
    wanted = drv_paths({name: here / f"asked/{name}.nix" for name in PACKAGES})
    assert len(set(wanted.values())) == len(PACKAGES) - 1  # two are one call
    assert drv_paths(built) == wanted
