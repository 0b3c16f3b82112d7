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
  gpuTargets = [ "9.0" ];
}).overrideAttrs
  (old: {
    pname = "pytorch-python313-cuda12_8-sm90-avx";
    cmakeFlags = (old.cmakeFlags or [ ]) ++ [
      # the tables have them; they do not reach CMake
      "-DCXX_AVX2_FOUND=FALSE"
      "-DC_AVX2_FOUND=FALSE"
      "-DCXX_AVX512_FOUND=FALSE"
      "-DC_AVX512_FOUND=FALSE"
      "-DCAFFE2_COMPILER_SUPPORTS_AVX512_EXTENSIONS=OFF"
      "-DUSE_NNPACK=OFF"
    ];
    preConfigure = toString (old.preConfigure or "") + ''
      export CXXFLAGS="-mavx $CXXFLAGS"
      export CFLAGS="-mavx $CFLAGS"
      export BLAS=OpenBLAS
      export USE_FBGEMM=0
      export USE_NNPACK=0
      export CMAKE_PROJECT_Torch_INCLUDE="$NIX_BUILD_TOP/avx-only.cmake"
      cat > "$CMAKE_PROJECT_Torch_INCLUDE" <<'EOF'
      set(C_AVX2_FOUND FALSE CACHE BOOL "off")
      set(CXX_AVX2_FOUND FALSE CACHE BOOL "off")
      set(C_AVX512_FOUND FALSE CACHE BOOL "off")
      set(CXX_AVX512_FOUND FALSE CACHE BOOL "off")
      EOF
      export USE_MKLDNN=0
      export USE_MKLDNN_CBLAS=0
    '';
    passthru = (old.passthru or { }) // {
      blasProvider = "openblas";
      cpuISA = "avx";
      gpuArch = "sm_90";
    };
    meta = (old.meta or { }) // {
      platforms = [ "x86_64-linux" ];
      description = "PyTorch ${old.version or ""} for NVIDIA Hopper (H100, H200, GH200) (SM90) + AVX";
      longDescription = ''
        PyTorch ${old.version or ""} with CUDA 12.8, for one GPU architecture and one CPU instruction set.
        GPU: H100, H200, GH200 (compute capability 9.0).
        Driver: 525 or newer.
        CPU: AVX, from Intel Sandy Bridge (2011), AMD Bulldozer (2011) on.
      '';
    };
  })
