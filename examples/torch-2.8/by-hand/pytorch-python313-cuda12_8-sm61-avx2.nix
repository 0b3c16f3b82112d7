{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      cudaSupport = true;
    };
    overlays = [
      # cuda-set: MAGMA and NCCL have to come from the same toolkit
      (final: prev: { cudaPackages = final.cudaPackages_12_8; })
    ];
  };
in
(pinned.python313Packages.torch.override {
  cudaSupport = true;
  gpuTargets = [ "6.1" ];
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-cuda12_8-sm61-avx2";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-mavx2 -mfma -mf16c $CXXFLAGS"
      export CFLAGS="-mavx2 -mfma -mf16c $CFLAGS"
      export BLAS=OpenBLAS
      export USE_CUDNN=0
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "avx2";
      gpuArch = "sm_61";
    };
    meta = (old.meta or { }) // {
      platforms = [ "x86_64-linux" ];
      description = "PyTorch ${old.version or ""} for NVIDIA Pascal (GTX 10 series, P40, P4) (SM61) + AVX2";
      longDescription = ''
        PyTorch ${old.version or ""} with CUDA 12.8, for one GPU architecture and one CPU instruction set.
        GPU: Tesla P40, Tesla P4, Titan Xp, GTX 1080, GTX 1070, GTX 1060, GTX 1050 (compute capability 6.1).
        Driver: 525 or newer.
        CPU: AVX2, from Intel Haswell (2013), AMD Excavator (2015) and Zen (2017) on.
      '';
    };
  })
