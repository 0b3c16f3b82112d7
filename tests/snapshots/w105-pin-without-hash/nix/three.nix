# three
# Made by tvarc from input.tvar: matrix three, recipe c.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-r+Kip6TmOQct8eF22Wwe8yEdvk8vU5rZGnlVV667yfg=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/ffffffffffffffffffffffffffffffffffffffff.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
pinned.hello
