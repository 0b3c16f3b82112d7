"""A family of torchvision recipes that one function makes, from values in tables."""

from __future__ import annotations

REV = "0182a361324364ae3f436a63005877674cf45efb"
MAKE = """
{ version, backend, sm ? null, cuda ? null, isa
, root ? builtins.fetchTarball { url = "https://example.org/torch.tar.gz"; sha256 = "HASH"; }
}:
let
  gpus = import ./gpus.nix;
  cudas = import (./. + "/cudas.nix");
  isas = import "${toString ./.}/isas.nix";
  isCuda = backend == "cuda";
  gpu = if isCuda then gpus.${sm} else null;
  short = builtins.replaceStrings [ "." ] [ "" ] version;
  major = builtins.head (builtins.match "([0-9]+)[.].*" version);
  name = "vision${short}-" + (if isCuda then "cuda${cuda}-sm${sm}-${isa}" else "cpu-${isa}");
  torch = import "${toString root}/pkgs/torch-${isa}.nix" { };
  pin = if isCuda && cudas ? pins && cudas.pins ? ${cuda} then cudas.pins.${cuda} else cudas.pin;
  nixpkgs = import (builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/${pin}.tar.gz";
    sha256 = "HASH";
  }) ({
    config = { allowUnfree = true; } // (if isCuda then { cudaSupport = true; } else { });
  } // (if isCuda then {
    overlays = [ (final: prev: { cudaPackages = final.${cudas.sets.${cuda}}; }) ]
      ++ (if major == "9" then [ (final: prev: { magma = null; }) ] else [ ]);
  } else { }));
  inherit (nixpkgs) lib;
in
if isCuda then
  nixpkgs.python3Packages.torchvision.overrideAttrs (old: {
    pname = name;
    passthru = (old.passthru or { }) // { inherit torch; };
    preConfigure = (old.preConfigure or "") + ''
      export CXXFLAGS="${lib.concatStringsSep " " isas.${isa}} $CXXFLAGS"
      export TORCH_CUDA_ARCH_LIST="${gpu.capability}"
    '';
    meta = (old.meta or { }) // { description = "For ${gpu.names} (SM${sm})"; };
  } // lib.optionalAttrs (gpu ? clear) { patches = [ ]; })
else
  nixpkgs.python3Packages.torchvision.overrideAttrs (old: { pname = name; })
"""
HASH = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ="
TABLES = {
    "lib/make.nix": MAKE.replace("HASH", HASH),
    "lib/gpus.nix": """{
      "70" = { capability = "7.0"; names = "V100"; };
      "90" = { capability = "9.0"; names = "L40S"; clear = true; };
    }""",
    "lib/cudas.nix": f"""rec {{
      pin = "{REV}"; pins = {{ "12_9" = pin; }};
      sets = {{ "12_9" = "cudaPackages_12_9"; "13_0" = "cudaPackages_13_0"; }};
    }}""",
    "lib/isas.nix": '{ avx2 = [ "-mavx2" "-mfma" ]; }',
}


def recipe(sm: str, cuda: str) -> str:
    given = f'version = "0.25"; isa = "avx2"; backend = "cuda"; sm = "{sm}"; cuda = "{cuda}";'
    return f"{{ pkgs ? import <nixpkgs> {{ }} }}:\nimport ./lib/make.nix {{ {given} }}\n"


CPU = 'import ./lib/make.nix { version = "9.1"; isa = "avx2"; backend = "cpu"; }\n'


def parametric() -> dict[str, str]:
    """The files of the family: two GPUs with two toolkits each, and what makes them."""
    made = {
        f"vision-cuda{cuda}-sm{sm}.nix": recipe(sm, cuda)
        for sm in ("70", "90")
        for cuda in ("12_9", "13_0")
    }
    return {**TABLES, **made}
