# A recipe in the shape that the compiler prints: PyTorch 2.10.0 with CUDA 13.0 for one GPU.
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
      allowBroken = true;
      allowUnfree = true;
      cudaSupport = true;
    };
    overlays = [
      (final: prev: {
        cudaPackages = final.cudaPackages_13;
      })
      (final: prev: {
        magma = prev.magma.overrideAttrs (old: {
          patches = (old.patches or [ ]) ++ [
            # CUDA 13 removed cudaDeviceProp.clockRate, which MAGMA reads
            (final.fetchpatch {
              name = "cuda-13.0-clockrate-fix.patch";
              url = "https://github.com/icl-utk-edu/magma/commit/235aefb7b064954fce09d035c69907ba8a87cbcd.patch";
              hash = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
            })
          ];
        });
      })
      (final: prev: {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: {
            torch = pyPrev.torch.overrideAttrs (old: {
              version = "2.10.0";
              src = final.fetchFromGitHub {
                owner = "pytorch";
                repo = "pytorch";
                tag = "v2.10.0";
                hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
                fetchSubmodules = true;
              };
              patches = [ ];
            });
          })
        ];
      })
    ];
  };
in
(pinned.python3Packages.torch.override {
  cudaSupport = true;
  gpuTargets = [ "10.3" ];
}).overrideAttrs
  (old: {
    pname = "pytorch210-python313-cuda13_0-sm103-avx512";

    ninjaFlags = [ "-j32" ];
    requiredSystemFeatures = [ "big-parallel" ];

    cmakeFlags = (old.cmakeFlags or [ ]) ++ [
      "-DTORCH_BUILD_VERSION=2.10.0"
      "-DCMAKE_CUDA_FLAGS=-I/build/cccl-compat"
      "-DCUDA_VERSION=13.0"
    ];

    preConfigure = (old.preConfigure or "") + ''
      export CXXFLAGS="-mavx512f -mfma $CXXFLAGS"
      export MAX_JOBS=32
      mkdir -p /build/cccl-compat/cccl
      ln -sf ${pinned.cudaPackages.cuda_cccl}/include/cub /build/cccl-compat/cccl/cub
    '';

    passthru = (old.passthru or { }) // {
      gpuArch = "10.3";
      cpuISA = "avx512";
    };

    meta = (old.meta or { }) // {
      description = "PyTorch 2.10.0 for NVIDIA B300 (SM103) + AVX-512";
      platforms = [ "x86_64-linux" ];
    };
  })
