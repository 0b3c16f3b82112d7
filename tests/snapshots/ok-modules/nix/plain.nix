# plain
# Made by tvarc from input.tvar: matrix plain, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-odlpYrdxNEF3T6DbEj5VzSWBM+G1EqyuEkfxtb+HT/w=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
pinned.hello
