# torch-of-pin
# Made by tvarc from input.tvar: matrix torch-of-pin, recipe newer.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-mxtAlGVbkNVNq0YziSTd0IYLuWVbLB5N4os1CYXlO+U=
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
    config = { };
    overlays = [ ];
  };
in
assert
  pinned ? python3Packages.torchvision.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torchvision` with `.overrideAttrs`";
pinned.python3Packages.torchvision.overrideAttrs (_: { version = "0.25.0"; })
