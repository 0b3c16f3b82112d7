# both-written
# Made by tvarc from input.tvar: matrix both-written, recipe vision.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-A5lWvG2gtQ78/4imuAq1yNAYPoOxlik5kbwfwc8g6dI=
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
      # torch-2_10
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `torch-2_10`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `torch-2_10`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torch =
                assert
                  pyPrev ? torch.overrideAttrs
                  || throw "overlay `torch-2_10`: this nixpkgs has no package `torch` with `.overrideAttrs`";
                pyPrev.torch.overrideAttrs (_: { version = "2.10.0"; });
            })
          ];
        }
      )
    ];
  };
in
assert
  builtins.isAttrs pinned.python3Packages.torch
  || throw "overlay `torch-2_10`: `python3Packages.torch` of this nixpkgs is no package";
assert
  pinned ? python3Packages.torchvision.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torchvision` with `.overrideAttrs`";
pinned.python3Packages.torchvision.overrideAttrs (_: { version = "0.24.1"; })
