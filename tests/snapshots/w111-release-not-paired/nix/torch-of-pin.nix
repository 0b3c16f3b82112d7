# torch-of-pin
# Made by tvarc from input.tvar: matrix torch-of-pin, recipe newer.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Ga3RUuAvVKu7TiBBPIeYvnO8M2eb9fByCz+A6DTLJRo=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
assert
  pinned ? python3Packages.torchvision.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torchvision` with `.overrideAttrs`";
pinned.python3Packages.torchvision.overrideAttrs (_: { version = "0.25.0"; })
