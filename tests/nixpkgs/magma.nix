# MAGMA: one function for every build of it, so that a change to `magma` reaches the others.
{
  lib,
  stdenv,
  fetchFromGitHub,
  config,
  blas,
  lapack,
  cudaPackages,
  rocmPackages,
  revision,
  cudaSupport ? config.cudaSupport,
  rocmSupport ? config.rocmSupport,
  static ? stdenv.hostPlatform.isDarwin,
}:
let
  backendStdenv = if cudaSupport then cudaPackages.backendStdenv else stdenv;
  capabilities = cudaPackages.flags.cudaCapabilities;
  oldestFirst = lib.sort lib.versionOlder capabilities;

  # Of the targets of ROCm, those that this release knows; a runtime for one GPU changes nothing.
  hipTargets = lib.intersectLists [
    "900"
    "906"
    "908"
    "1010"
    "1012"
    "1030"
  ] (map (lib.removePrefix "gfx") rocmPackages.clr.gpuTargets);
in
backendStdenv._model.mkDerivation (finalAttrs: {
  pname = "magma";
  version = "2.9.0";

  src = fetchFromGitHub {
    owner = "icl-utk-edu";
    repo = "magma";
    tag = "v${finalAttrs.version}";
    hash = "sha256-ZV50id9qiCrc1K87812Lvv1tmeU/6vhpxFCz8nj61wM=";
  };

  patches = lib.optionals revision.magmaKnowsCuda13 [ ./magma-cuda13.patch ];

  nativeBuildInputs = lib.optionals cudaSupport [ cudaPackages.cuda_nvcc ];
  buildInputs = [
    blas
    lapack
  ]
  ++ lib.optionals cudaSupport [
    cudaPackages.cuda_cccl
    cudaPackages.cuda_cudart
    cudaPackages.libcublas
    cudaPackages.libcusparse
  ];

  cmakeFlags = [
    (lib.cmakeBool "BUILD_SHARED_LIBS" (!static))
    (lib.cmakeBool "MAGMA_ENABLE_CUDA" cudaSupport)
    (lib.cmakeBool "MAGMA_ENABLE_HIP" rocmSupport)
  ]
  ++ lib.optionals rocmSupport [
    (lib.cmakeFeature "GPU_TARGET" (lib.concatStringsSep "," hipTargets))
  ]
  ++ lib.optionals cudaSupport [
    (lib.cmakeFeature "CMAKE_CUDA_ARCHITECTURES" cudaPackages.flags.cmakeCudaArchitecturesString)
    (lib.cmakeFeature "MIN_ARCH" "${lib.replaceStrings [ "." ] [ "" ] (lib.head oldestFirst)}0")
  ];

  requiredSystemFeatures = [ "big-parallel" ];

  passthru = {
    inherit
      cudaPackages
      cudaSupport
      rocmSupport
      static
      ;
  };

  meta = {
    description = "Matrix Algebra on GPU and Multicore Architectures";
    homepage = "https://icl.utk.edu/magma/";
    license = lib.licenses.bsd3;
    platforms = lib.platforms.linux;
    broken = cudaSupport && rocmSupport;
  };
})
