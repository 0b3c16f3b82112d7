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
    };
    overlays = [ ];
  };
in
(pinned.python313Packages.torch.override {
  cudaSupport = false;
  rocmSupport = false;
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-cpu-armv9";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-march=armv9-a+sve2+bf16+i8mm $CXXFLAGS"
      export CFLAGS="-march=armv9-a+sve2+bf16+i8mm $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "armv9";
    };
    meta = (old.meta or { }) // {
      platforms = [ "aarch64-linux" ];
      description = "PyTorch ${old.version or ""} for CPUs with ARMv9";
      longDescription = ''
        PyTorch ${old.version or ""} without GPU support.
        CPU: ARMv9, from Neoverse N2 and V2 (Grace, Graviton4), Cortex-X925 (GB10), Neoverse V3AE (Thor) on.
      '';
    };
  })
