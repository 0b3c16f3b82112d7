# pinned-cu128: cu128
# Made by tvarc from input.tvar: matrix builds, recipe pinned.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-qTWZtHwTltKlN2J8JO7jx+F486p4sFCl8tuQZPbtmYQ=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [
      # toolkit
      (final: prev: { cudaPackages = final.cudaPackages_12_8; })
    ];
  };
in
pinned.magma
