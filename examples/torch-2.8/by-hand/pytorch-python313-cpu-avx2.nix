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
    pname = "pytorch-python313-cpu-avx2";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-mavx2 -mfma -mf16c $CXXFLAGS"
      export CFLAGS="-mavx2 -mfma -mf16c $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "avx2";
    };
    meta = (old.meta or { }) // {
      # the table has both, though no ARM CPU has AVX2
      platforms = [
        "x86_64-linux"
        
      ];
      description = "PyTorch ${old.version or ""} for CPUs with AVX2";
      longDescription = ''
        PyTorch ${old.version or ""} without GPU support.
        CPU: AVX2, from Intel Haswell (2013), AMD Excavator (2015) and Zen (2017) on.
      '';
    };
  })
