# with-all
# Made by tvarc from input.tvar: matrix with-all, recipe extended.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-pOlI2egUV8XGproTmhZzSXr/fTDzb6mrNdUU3iWnBh0=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [
      # cuda-13_0
      (final: prev: {
        cudaPackages = final.cudaPackages_13_0;
        blas = (prev.blas or { }) // {
          provider = prev.openblas;
        };
      })
      # py-tools
      (final: prev: {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: {
            ninja = pyFinal.cmake;
            numpy = pyFinal.numpy_1;
          })
        ];
      })
      # cuda-libs: the library is built without it
      (final: prev: {
        cudaPackages = prev.cudaPackages.overrideScope (
          setFinal: setPrev: { nccl = setPrev.nccl; }
        );
      })
      # magma-cuda: MAGMA follows the toolkit
      (final: prev: {
        magma = (prev.magma.override { cudaSupport = true; }).overrideAttrs (old: {
          cmakeFlags = (old.cmakeFlags or [ ]) ++ [ "-DMIN_ARCH=800" ];
          meta = (old.meta or { }) // {
            broken = false;
          };
        });
      })
      # torch-old
      (final: prev: {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: {
            torch = pyPrev.torch.overrideAttrs (_: {
              version = "2.10.0";
              # they are for 2.9.1
              patches = [ ];
            });
          })
        ];
      })
    ];
  };
in
pinned.python3Packages.torch
