# one
# Made by tvarc from input.tvar: matrix one, recipe a.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-vU3dklBAxPvKtmnUiSbWfcargC2KC1pBylLsvLnFRD4=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
pinned.hello
