# pinned-cu130: cu130
# Made by tvarc from input.tvar: matrix builds, recipe pinned.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-V/NRjsLoUmxm8BREgBVyh9PJqQQafej9cNuHkio/u5s=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://example.org/nixpkgs/nixexprs.tar.xz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      allowBroken = true;
    };
    overlays = [
      # toolkit
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
pinned.magma
