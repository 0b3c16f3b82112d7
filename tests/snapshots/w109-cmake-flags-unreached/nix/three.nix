# three
# Made by tvarc from input.tvar: matrix three, recipe overlaid.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-BiDIwQp5U8G1Q/UL6m+++eBCva43ddClvPerIFfhaKk=
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

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [
      # of-torch
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `of-torch`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `of-torch`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torch =
                assert
                  pyPrev ? torch.overrideAttrs
                  || throw "overlay `of-torch`: this nixpkgs has no package `torch` with `.overrideAttrs`";
                pyPrev.torch.overrideAttrs (old: {
                  cmakeFlags = (old.cmakeFlags or [ ]) ++ [ "-DUSE_NNPACK=OFF" ];
                });
            })
          ];
        }
      )
    ];
  };
in
pinned.python3Packages.torch
