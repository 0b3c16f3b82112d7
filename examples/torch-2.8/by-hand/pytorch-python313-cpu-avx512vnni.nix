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
    pname = "pytorch-python313-cpu-avx512vnni";
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512vnni -mfma $CXXFLAGS"
      export CFLAGS="-mavx512f -mavx512dq -mavx512vl -mavx512bw -mavx512vnni -mfma $CFLAGS"
      export BLAS=OpenBLAS
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "avx512vnni";
    };
    meta = (old.meta or { }) // {
      platforms = [ "x86_64-linux" ];
      description = "PyTorch ${old.version or ""} for CPUs with AVX-512 VNNI";
      longDescription = ''
        PyTorch ${old.version or ""} without GPU support.
        CPU: AVX-512 VNNI, from Intel Cascade Lake (2019), AMD Zen 4 (2022) on.
      '';
    };
  })
