# torch-of-pin
# Made by tvarc from input.tvar: matrix torch-of-pin, recipe newer.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-z45yzKwIXzOMaudefZJ1wcr4Wi7vUkIQkYPUy6AH8AA=
{
  pkgs ? import <nixpkgs> { },
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
pinned.python3Packages.torchvision.overrideAttrs (_: { version = "0.25.0"; })
