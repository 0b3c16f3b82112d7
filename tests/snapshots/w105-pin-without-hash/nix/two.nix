# two
# Made by tvarc from input.tvar: matrix two, recipe b.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ofE4lQixUkyHwWvZkKssT3WGrAmKuq/vnZ+z4i77frI=
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
