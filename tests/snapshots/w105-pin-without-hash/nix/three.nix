# three
# Made by tvarc from input.tvar: matrix three, recipe c.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-7+l5aPx9BFTwMhjg90HxUsNRapgl1jdlLhtBEwM5nms=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
