# with-all
# Made by tvarc from input.tvar: matrix with-all, recipe extended.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-94zopBPJYFo39GVmko6AgYdVrpOGIXUCf5np1lnW2mY=
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
    config = {
      allowUnfree = true;
    };
    overlays = [
      # cuda-13_0
      (final: prev: {
        cudaPackages = final.cudaPackages_13_0;
        blas =
          assert
            builtins.isAttrs (prev.blas or { })
            || throw "overlay `cuda-13_0`: `blas` of this nixpkgs is of the kind `${builtins.typeOf prev.blas}`; keys are added to a set";
          (prev.blas or { })
          // {
            provider = prev.openblas;
          };
      })
      # py-tools
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `py-tools`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `py-tools`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              ninja = pyFinal.cmake;
              numpy = pyFinal.numpy_1;
            })
          ];
        }
      )
      # cuda-libs: the library is built without it
      (
        final: prev:
        assert
          prev ? cudaPackages || throw "overlay `cuda-libs`: this nixpkgs has no `cudaPackages`";
        {
          cudaPackages =
            assert
              (prev.lib ? makeScopeWithSplicing' && prev ? cudaPackages.overrideScope)
              || throw "overlay `cuda-libs`: `cudaPackages.overrideScope` that takes `final: prev:` is known to nixpkgs from 23.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it; where the set has no such method, write `via = update`";
            prev.cudaPackages.overrideScope (setFinal: setPrev: { nccl = setPrev.nccl; });
        }
      )
      # magma-cuda: MAGMA follows the toolkit
      (
        final: prev:
        assert prev ? magma || throw "overlay `magma-cuda`: this nixpkgs has no `magma`";
        {
          magma =
            assert
              (prev ? magma.override && prev ? magma.overrideAttrs)
              || throw "overlay `magma-cuda`: this nixpkgs has no package `magma` with `.override` and `.overrideAttrs`";
            (prev.magma.override { cudaSupport = true; }).overrideAttrs (old: {
              cmakeFlags = (old.cmakeFlags or [ ]) ++ [ "-DMIN_ARCH=800" ];
              meta = (old.meta or { }) // {
                broken = false;
              };
            });
        }
      )
      # torch-old
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `torch-old`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `torch-old`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torch =
                assert
                  pyPrev ? torch.overrideAttrs
                  || throw "overlay `torch-old`: this nixpkgs has no package `torch` with `.overrideAttrs`";
                pyPrev.torch.overrideAttrs (_: {
                  version = "2.10.0";
                  # they are for 2.9.1
                  patches = [ ];
                });
            })
          ];
        }
      )
    ];
  };
in
assert
  builtins.isAttrs pinned.cudaPackages
  || throw "overlay `cuda-libs`: `cudaPackages` of this nixpkgs is no set";
pinned.python3Packages.torch
