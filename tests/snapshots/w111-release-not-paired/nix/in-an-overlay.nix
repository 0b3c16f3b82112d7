# in-an-overlay
# Made by tvarc from input.tvar: matrix in-an-overlay, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-C82Q1IyAGx3QZOnWIOK40efZ6sFO9pnPsFSCEXp0qBc=
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
    overlays = [
      # vision-0_29_1
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `vision-0_29_1`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `vision-0_29_1`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torchvision =
                assert
                  pyPrev ? torchvision.overrideAttrs
                  || throw "overlay `vision-0_29_1`: this nixpkgs has no package `torchvision` with `.overrideAttrs`";
                pyPrev.torchvision.overrideAttrs (_: { version = "0.29.1"; });
            })
          ];
        }
      )
    ];
  };
in
assert
  builtins.isAttrs pinned.python3Packages.torchvision
  || throw "overlay `vision-0_29_1`: `python3Packages.torchvision` of this nixpkgs is no package";
assert
  pinned ? python3Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torch` with `.overrideAttrs`";
pinned.python3Packages.torch.overrideAttrs (_: { version = "2.10.0"; })
