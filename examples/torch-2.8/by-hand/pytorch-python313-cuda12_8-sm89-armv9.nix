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
    pname = "pytorch-python313-cuda12_8-sm89-armv9";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-march=armv9-a+sve2+bf16+i8mm $CXXFLAGS"
      export CFLAGS="-march=armv9-a+sve2+bf16+i8mm $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "armv9";
      gpuArch = "sm_89";
    };
    meta = (old.meta or { }) // {
      platforms = [ "aarch64-linux" ];
      description = "PyTorch ${old.version or ""} for NVIDIA Ada Lovelace (RTX 40 series, L40S, L4) (SM89) + ARMv9";
      longDescription = ''
        PyTorch ${old.version or ""} with CUDA 12.8, for one GPU architecture and one CPU instruction set.
        GPU: L4, L40, L40S, RTX 6000 Ada, RTX 5000 Ada, RTX 4090, RTX 4080, RTX 4070, RTX 4060 (compute capability 8.9).
        Driver: 525 or newer.
        CPU: ARMv9, from Neoverse N2 and V2 (Grace, Graviton4), Cortex-X925 (GB10), Neoverse V3AE (Thor) on.
      '';
    };
  })
