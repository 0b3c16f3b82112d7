# python314-other: python314
# Made by tvarc from input.tvar: matrix other, recipe unknown.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-uuHbdXtbwoQTrepTiBdSoqVLZg89El9fCCwdKcv9SUo=
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
assert
  pinned ? python314Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python314Packages.torch` with `.overrideAttrs`";
pinned.python314Packages.torch.overrideAttrs (_: { version = "3.0.0"; })
