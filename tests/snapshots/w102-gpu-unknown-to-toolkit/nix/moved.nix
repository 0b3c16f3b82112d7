# moved
# Made by tvarc from input.tvar: matrix moved, recipe moving.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-uYbpdtJnESCL+q+3DFuW6Lz2Kg2G4xvIATn3qt3snqc=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      allowBroken = true;
      cudaSupport = true;
      cudaCapabilities = [
        "6.1"
        "10.7"
      ];
    };
    overlays = [
      # alias
      (final: prev: { cudaPackages = final.cudaPackages_13; })
    ];
  };
in
pinned.magma
