# patched
# Made by tvarc from input.tvar: matrix patched, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-0J/EI7XZOy1xEW6G5vBX1Dc5TaAT1WCi9CThpPme1lw=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # magma-clockrate: CUDA 13 removed cudaDeviceProp.clockRate, which MAGMA reads
      (
        final: prev:
        assert prev ? magma || throw "patch `magma-clockrate`: this nixpkgs has no `magma`";
        {
          magma =
            assert
              prev ? magma.overrideAttrs
              || throw "patch `magma-clockrate`: this nixpkgs has no package `magma` with `.overrideAttrs`";
            prev.magma.overrideAttrs (old: {
              patches = prev.lib.remove null (prev.lib.toList (old.patches or [ ])) ++ [
                (
                  assert
                    prev.lib.functionArgs final.fetchpatch ? relative
                    || throw "patch `magma-clockrate`: a patch by `hash` is known to nixpkgs from 22.05 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
                  final.fetchpatch {
                    name = "cuda-13.0-clockrate-fix.patch";
                    url = "https://github.com/icl-utk-edu/magma/commit/235aefb7b064954fce09d035c69907ba8a87cbcd.patch";
                    hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
                    stripLen = 1;
                    excludes = [ "README.md" ];
                  }
                )
              ];
            });
        }
      )
      # torch-local: it is not upstream yet
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "patch `torch-local`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "patch `torch-local`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torch =
                assert
                  pyPrev ? torch.overrideAttrs
                  || throw "patch `torch-local`: this nixpkgs has no package `torch` with `.overrideAttrs`";
                pyPrev.torch.overrideAttrs (old: {
                  patches = prev.lib.remove null (prev.lib.toList (old.patches or [ ])) ++ [
                    (../../patches + "/local fix.patch")
                  ];
                });
            })
          ];
        }
      )
    ];
  };
in
pinned.python3Packages.torch
