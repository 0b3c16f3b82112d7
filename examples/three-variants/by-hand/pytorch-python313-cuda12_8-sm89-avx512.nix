{
  python3Packages,
  lib,
  cudaPackages,
  addDriverRunpath,
}:

let
  gpuArch = "sm_89";
  cpuFlags = [
    "-mavx512f"
    "-mavx512dq"
    "-mfma"
  ];
in
python3Packages.pytorch.overrideAttrs (oldAttrs: {
  pname = "pytorch-python313-cuda12_8-sm89-avx512";

  buildInputs = oldAttrs.buildInputs ++ [
    cudaPackages.cuda_cudart
    cudaPackages.libcublas
    cudaPackages.cudnn
  ];
  nativeBuildInputs = oldAttrs.nativeBuildInputs ++ [ addDriverRunpath ];

  preConfigure = (oldAttrs.preConfigure or "") + ''
    export TORCH_CUDA_ARCH_LIST="${gpuArch}"
    export CMAKE_CUDA_ARCHITECTURES="${lib.removePrefix "sm_" gpuArch}"
    export CXXFLAGS="$CXXFLAGS ${lib.concatStringsSep " " cpuFlags}"
    export CFLAGS="$CFLAGS ${lib.concatStringsSep " " cpuFlags}"
    export USE_CUDA=1
    export USE_CUBLAS=1
  '';

  passthru = oldAttrs.passthru // { inherit gpuArch; };
  meta = oldAttrs.meta // {
    description = "PyTorch for NVIDIA RTX 4090 (SM89) with AVX-512";
    platforms = [ "x86_64-linux" ];
  };
})
