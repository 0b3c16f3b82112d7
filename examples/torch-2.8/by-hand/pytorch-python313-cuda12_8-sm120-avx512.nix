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
  gpuTargets = [ "12.0" ];
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-cuda12_8-sm120-avx512";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma $CXXFLAGS"
      export CFLAGS="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "avx512";
      gpuArch = "sm_120";
    };
    meta = (old.meta or { }) // {
      platforms = [ "x86_64-linux" ];
      description = "PyTorch ${old.version or ""} for NVIDIA Blackwell (RTX 50 series, RTX PRO) (SM120) + AVX-512";
      longDescription = ''
        PyTorch ${old.version or ""} with CUDA 12.8, for one GPU architecture and one CPU instruction set.
        GPU: RTX PRO 6000 Blackwell, RTX PRO 5000 Blackwell, RTX PRO 4500 Blackwell, RTX 5090, RTX 5080, RTX 5070, RTX 5060 (compute capability 12.0).
        Driver: 570 or newer.
        CPU: AVX-512, from Intel Skylake-SP (2017), AMD Zen 4 (2022) on.
      '';
    };
  })
