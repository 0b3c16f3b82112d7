# PyTorch as it was before `gpuTargets`: with `cudaArchList`, and at first with each part of CUDA by
# itself in place of a package set.
{
  lib,
  features,
  stdenv,
  config,
  buildPythonPackage,
  fetchFromGitHub,
  cudaSupport ? config.cudaSupport,
  cudaPackages,
  cudatoolkit ? null,
  cudnn ? null,
  nccl ? null,
  magma,
  mklDnnSupport ? true,
  useSystemNccl ? true,
  buildDocs ? false,
  cudaArchList ? null,
  blas,
  cmake,
  ninja,
  which,
  numactl,
  numpy,
  pillow,
  six,
}:
let
  onOff = value: if value then "1" else "0";
  toolkit = if features.cudaScope then cudaPackages.cudatoolkit else cudatoolkit;
  architectures =
    if cudaArchList != null then
      cudaArchList
    else
      [
        "7.0"
        "8.0"
      ];
in
buildPythonPackage {
  pname = "pytorch";
  version = if features.torchName then "1.12.1" else "1.5.1";
  src = fetchFromGitHub {
    owner = "pytorch";
    repo = "pytorch";
    rev = "v1.5.1";
    fetchSubmodules = true;
    hash = lib.fakeHash;
  };
  preConfigure = lib.optionalString cudaSupport ''
    export TORCH_CUDA_ARCH_LIST="${lib.concatStringsSep ";" architectures}"
  '';
  BUILD_DOCS = onOff buildDocs;
  USE_MKLDNN = onOff mklDnnSupport;
  USE_SYSTEM_NCCL = onOff useSystemNccl;
  nativeBuildInputs = [
    cmake
    ninja
    which
  ];
  buildInputs = [
    blas
    numactl
  ]
  ++ lib.optionals cudaSupport [
    toolkit
    magma
  ];
  dependencies = [
    numpy
    pillow
    six
  ];
  passthru = {
    inherit cudaSupport cudaArchList;
  };
  meta = {
    description = "Tensors and neural networks";
    platforms = lib.platforms.linux;
    license = lib.licenses.bsd3;
  };
}
