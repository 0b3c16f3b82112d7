# patched
# Made by tvarc from input.tvar: matrix patched, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Kz2+/bWO4/TlDw8k4M+RnaxS3HNtqp+ZPc+iPQ8Nxx4=
{
  pkgs ? import <nixpkgs> { },
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
      (final: prev: {
        magma = prev.magma.overrideAttrs (old: {
          patches = (old.patches or [ ]) ++ [
            (final.fetchpatch {
              name = "cuda-13.0-clockrate-fix.patch";
              url = "https://github.com/icl-utk-edu/magma/commit/235aefb7b064954fce09d035c69907ba8a87cbcd.patch";
              hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
              stripLen = 1;
              excludes = [ "README.md" ];
            })
          ];
        });
      })
      # torch-local: it is not upstream yet
      (final: prev: {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: {
            torch = pyPrev.torch.overrideAttrs (old: {
              patches = (old.patches or [ ]) ++ [ (../../patches + "/local fix.patch") ];
            });
          })
        ];
      })
    ];
  };
in
pinned.python3Packages.torch
