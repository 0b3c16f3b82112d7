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
  gpuTargets = [ "8.9" ];
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-cuda12_8-sm89-avx512bf16";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512bf16 -mfma $CXXFLAGS"
      export CFLAGS="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512bf16 -mfma $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "avx512bf16";
      gpuArch = "sm_89";
    };
    meta = (old.meta or { }) // {
      platforms = [ "x86_64-linux" ];
      description = "PyTorch ${old.version or ""} for NVIDIA Ada Lovelace (RTX 40 series, L40S, L4) (SM89) + AVX-512 BF16";
      longDescription = ''
        PyTorch ${old.version or ""} with CUDA 12.8, for one GPU architecture and one CPU instruction set.
        GPU: L4, L40, L40S, RTX 6000 Ada, RTX 5000 Ada, RTX 4090, RTX 4080, RTX 4070, RTX 4060 (compute capability 8.9).
        Driver: 525 or newer.
        CPU: AVX-512 BF16, from Intel Cooper Lake (2020) and Sapphire Rapids (2023), AMD Zen 4 (2022) on.
      '';
    };
  })
