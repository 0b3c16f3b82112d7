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
    pname = "pytorch-python313-cpu-armv8_2";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-march=armv8.2-a+fp16+dotprod $CXXFLAGS"
      export CFLAGS="-march=armv8.2-a+fp16+dotprod $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "armv8_2";
    };
    meta = (old.meta or { }) // {
      platforms = [ "aarch64-linux" ];
      description = "PyTorch ${old.version or ""} for CPUs with ARMv8.2";
      longDescription = ''
        PyTorch ${old.version or ""} without GPU support.
        CPU: ARMv8.2, from Neoverse N1 (Graviton2, Ampere Altra), Cortex-A76 and A78AE, Neoverse V1 (Graviton3) on.
      '';
    };
  })
