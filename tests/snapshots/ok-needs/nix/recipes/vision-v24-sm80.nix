# vision-v24-sm80: v24, sm80
# Made by tvarc from input.tvar: matrix visions, recipe torchvision.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-x3OQD2G22AnGO/IroBrK6QSJcgw8JSRrOZCZlIeN3EQ=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  needs = {
    torch = import ./torch2_9-sm80.nix { inherit pkgs; };
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # with-torch
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `with-torch`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `with-torch`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: { torch = needs.torch; })
          ];
        }
      )
    ];
  };
in
assert
  pinned ? python3Packages.torchvision.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torchvision` with `.overrideAttrs`";
pinned.python3Packages.torchvision.overrideAttrs (old: {
  pname = "vision-2.9";
  torchName = "torch-torch2_9";
  meta = (old.meta or { }) // {
    description = "TorchVision on torch2_9-sm80";
  };
})
