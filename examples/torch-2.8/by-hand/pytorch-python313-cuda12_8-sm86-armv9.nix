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
  gpuTargets = [ "8.6" ];
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-cuda12_8-sm86-armv9";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-march=armv9-a+sve2+bf16+i8mm $CXXFLAGS"
      export CFLAGS="-march=armv9-a+sve2+bf16+i8mm $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "armv9";
      gpuArch = "sm_86";
    };
    meta = (old.meta or { }) // {
      platforms = [ "aarch64-linux" ];
      description = "PyTorch ${old.version or ""} for NVIDIA Ampere (RTX 30 series, A40, A10) (SM86) + ARMv9";
      longDescription = ''
        PyTorch ${old.version or ""} with CUDA 12.8, for one GPU architecture and one CPU instruction set.
        GPU: A40, A10, A16, A2, RTX A6000, RTX A5000, RTX A4000, RTX 3090, RTX 3080, RTX 3070, RTX 3060 (compute capability 8.6).
        Driver: 525 or newer.
        CPU: ARMv9, from Neoverse N2 and V2 (Grace, Graviton4), Cortex-X925 (GB10), Neoverse V3AE (Thor) on.
      '';
    };
  })
