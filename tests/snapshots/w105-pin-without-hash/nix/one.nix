# one
# Made by tvarc from input.tvar: matrix one, recipe a.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-2+ziGfNYMhu8NPGGq3FO9ZX6gbjJfGnZD8rzBE9szwg=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
