# python315-torch: python315
# Made by tvarc from input.tvar: matrix pinned, recipe of-pin.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-52jS2R9u3pG0wBn55gcRdTCnHOUts3c5UbZyyNccaTo=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [ ];
  };
in
pinned.python315Packages.torch
