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
      # torch-beneath
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `torch-beneath`: this nixpkgs has no `python3Packages`";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torch =
                assert
                  (pyPrev ? torch.override && pyPrev ? torch.overrideAttrs)
                  || throw "overlay `torch-beneath`: this nixpkgs has no package `torch` with `.override` and `.overrideAttrs`";
                (pyPrev.torch.override {
                  cudaSupport = true;
                  gpuTargets = [ "7.5" ];
                }).overrideAttrs
                  (old: {
                    preConfigure = toString (old.preConfigure or "") + ''
                      export CXXFLAGS="-mavx $CXXFLAGS"
                      export CFLAGS="-mavx $CFLAGS"
                      export USE_FBGEMM=0
                      export USE_NNPACK=0
                      export USE_MKLDNN=0
                      export USE_MKLDNN_CBLAS=0
                    '';
                  });
            })
          ];
        }
      )
    ];
  };
in
pinned.python313Packages.torchaudio.overrideAttrs (old: {
  pname = "torchaudio-python313-cuda12_8-sm75-avx";
  preConfigure = toString (old.preConfigure or "") + ''
    export CXXFLAGS="-mavx $CXXFLAGS"
    export CFLAGS="-mavx $CFLAGS"
    export TORCH_CUDA_ARCH_LIST="7.5"
    export FORCE_CUDA=1
  '';
  passthru = (old.passthru or { }) // {
    gpuArch = "sm_75";
    cpuISA = "avx";
  };
  meta = (old.meta or { }) // {
    description = "torchaudio for NVIDIA Turing (RTX 20 series, T4) and AVX";
    longDescription = "CUDA 12.8, driver 525 or newer.";
    platforms = [ "x86_64-linux" ];
  };
})
