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
  gpuTargets = [ "10.0" ];
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-cuda12_8-sm100-armv8_2";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-march=armv8.2-a+fp16+dotprod $CXXFLAGS"
      export CFLAGS="-march=armv8.2-a+fp16+dotprod $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "armv8_2";
      gpuArch = "sm_100";
    };
    meta = (old.meta or { }) // {
      platforms = [ "aarch64-linux" ];
      description = "PyTorch ${old.version or ""} for NVIDIA Blackwell (B200, GB200) (SM100) + ARMv8.2";
      longDescription = ''
        PyTorch ${old.version or ""} with CUDA 12.8, for one GPU architecture and one CPU instruction set.
        GPU: B200, GB200 (compute capability 10.0).
        Driver: 570 or newer.
        CPU: ARMv8.2, from Neoverse N1 (Graviton2, Ampere Altra), Cortex-A76 and A78AE, Neoverse V1 (Graviton3) on.
      '';
    };
  })
