# old: py313, avx2
# Made by tvarc from input.tvar: matrix old, recipe numpy.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-cvQmgAFRITSEBsHCy2JxG8JuN2crq0VO1guP+p+TtrU=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = ./nixpkgs;

  pinned = import nixpkgs {
    localSystem = {
      inherit (pkgs.stdenv.hostPlatform) system;
      platform =
        ((import (nixpkgs + "/lib")).systems.elaborate {
          inherit (pkgs.stdenv.hostPlatform) system;
        }).platform
        // {
          gcc = {
            arch = "haswell";
          };
        };
    };
    config = { };
    overlays = [ ];
  };
in
assert
  pinned.lib.trivial.release == "20.09"
  || throw "pin `older` states release 20.09, its nixpkgs is of ${pinned.lib.trivial.release}";
pinned.python313Packages.numpy
