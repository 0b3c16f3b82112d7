# PyTorch as nixpkgs packages it from source: its arguments, the conditions under which it is
# broken, and what it sets for the build.
{
  lib,
  features,
  stdenv,
  config,
  buildPythonPackage,
  fetchFromGitHub,
  python,
  revision,
  cudaSupport ? config.cudaSupport,
  cudaPackages,
  rocmSupport ? config.rocmSupport,
  rocmPackages,
  gpuTargets ? [ ],
  effectiveMagma ?
    if cudaSupport then
      magma-cuda-static
    else if rocmSupport then
      magma-hip
    else
      magma,
  magma,
  magma-cuda-static,
  magma-hip,
  useSystemNccl ? (cudaSupport && !cudaPackages.nccl.meta.unsupported) || rocmSupport,
  MPISupport ? false,
  mpi,
  mklDnnSupport ? !(stdenv.hostPlatform.isDarwin && stdenv.hostPlatform.isAarch64),
  blas,
  tritonSupport ? !stdenv.hostPlatform.isDarwin,
  triton,
  triton-cuda,
  _tritonEffective ? if cudaSupport then triton-cuda else triton,
  vulkanSupport ? false,
  buildDocs ? false,
  cmake,
  ninja,
  pkg-config,
  which,
  numactl,
  filelock,
  jinja2,
  networkx,
  six,
  sympy,
  typing-extensions,
}:
let
  onOff = value: if value then "1" else "0";
  inherit (stdenv) hostPlatform;
  backendStdenv = if cudaSupport then cudaPackages.backendStdenv else stdenv;
  inherit (cudaPackages) cudaMajorMinorVersion;

  # What this release's own table of architectures names. 11.0 is missing from it.
  nameable =
    let
      real = [
        "5.0"
        "5.2"
        "6.0"
        "6.1"
        "7.0"
        "7.5"
        "8.0"
        "8.6"
        "8.7"
        "8.9"
        "9.0"
        "9.0a"
        "10.0"
        "10.0a"
        "10.1"
        "10.3"
        "12.0"
        "12.0a"
        "12.1"
      ];
    in
    real ++ map (capability: "${capability}+PTX") real;

  requested = cudaPackages.flags.cudaCapabilities;
  cudaCapabilities = lib.intersectLists nameable requested;

  targets =
    if gpuTargets != [ ] then
      gpuTargets
    else if cudaSupport && cudaCapabilities == [ ] then
      throw (
        "No supported GPU targets specified. Requested GPU targets: "
        + lib.concatStringsSep ", " requested
      )
    else if cudaSupport then
      cudaCapabilities
    else if rocmSupport then
      lib.subtractLists [
        "gfx1010"
        "gfx1012"
      ] (rocmPackages.clr.localGpuTargets or rocmPackages.clr.gpuTargets)
    else
      throw "No GPU targets specified";
  targetList = lib.concatStringsSep ";" targets;

  brokenConditions = lib.filterAttrs (_: holds: holds) {
    "CUDA and ROCm are mutually exclusive" = cudaSupport && rocmSupport;
    "CUDA is not targeting Linux" = cudaSupport && !hostPlatform.isLinux;
    "Unsupported CUDA version" =
      cudaSupport
      && !(lib.elem cudaPackages.cudaMajorVersion [
        "11"
        "12"
      ]);
    "MPI cudatoolkit does not match cudaPackages.cudatoolkit" =
      MPISupport && cudaSupport && mpi.cudatoolkit != cudaPackages.cudatoolkit;
    "Magma cudaPackages does not match cudaPackages" =
      cudaSupport && effectiveMagma.cudaPackages.cudaMajorMinorVersion != cudaMajorMinorVersion;
  };

  switches = version: {
    BUILD_DOCS = onOff buildDocs;
    BUILD_TEST = onOff false;
    CMAKE_GENERATOR = "Ninja";
    PYTORCH_BUILD_NUMBER = 0;
    PYTORCH_BUILD_VERSION = version;
    USE_DISTRIBUTED = onOff true;
    USE_MKLDNN = onOff mklDnnSupport;
    USE_MKLDNN_CBLAS = onOff mklDnnSupport;
    USE_MPS = onOff hostPlatform.isDarwin;
    USE_NCCL = onOff useSystemNccl;
    USE_NNPACK = 1;
    USE_STATIC_NCCL = onOff useSystemNccl;
    USE_SYSTEM_NCCL = onOff useSystemNccl;
    USE_SYSTEM_PYBIND11 = true;
  };
  flags = {
    NIX_CFLAGS_COMPILE = "-Wno-error";
    USE_VULKAN = onOff vulkanSupport;
  };

  # Switches were attributes and not in `env` for long: who wrote one of them there was told that
  # they overlap. In the newest all are in `env`, as structured attributes are not exported.
  variables =
    version:
    if features.torchStructured then
      {
        __structuredAttrs = true;
        env = switches version // flags;
      }
    else if features.env then
      switches version // { env = flags; }
    else
      switches version // flags;
in
buildPythonPackage (finalAttrs: variables finalAttrs.version // {
  pname = "torch";
  version = revision.torchVersion;
  pyproject = true;

  stdenv = backendStdenv;

  outputs = [
    "out"
    "dev"
    "lib"
    "cxxdev"
  ];

  src = import ./src.nix {
    inherit stdenv fetchFromGitHub;
    inherit (finalAttrs) version;
  };

  patches = [
    ./patches/clang19-template-warning.patch
  ]
  ++ lib.optionals cudaSupport [ ./patches/fix-cmake-cuda-toolkit.patch ]
  ++ lib.optionals hostPlatform.isLinux [ ./patches/pytorch-pr-108847.patch ]
  ++ lib.optionals (blas.implementation == "mkl") [ ./patches/disable-cmake-mkl-rpath.patch ];

  postPatch = ''
    substituteInPlace third_party/gloo/cmake/Cuda.cmake \
      --replace-warn "find_package(CUDAToolkit 7.0" "find_package(CUDAToolkit"
  ''
  + lib.optionalString cudaSupport ''
    rm cmake/Modules/FindCUDAToolkit.cmake
  '';

  preConfigure =
    lib.optionalString cudaSupport ''
      export TORCH_CUDA_ARCH_LIST="${targetList}"
      export CUPTI_INCLUDE_DIR=${lib.getDev cudaPackages.cuda_cupti}/include
      export CUPTI_LIBRARY_DIR=${lib.getLib cudaPackages.cuda_cupti}/lib
      export CUDNN_INCLUDE_DIR=${lib.getLib cudaPackages.cudnn}/include
      export CUDNN_LIB_DIR=${lib.getLib cudaPackages.cudnn}/lib
    ''
    + lib.optionalString rocmSupport ''
      export ROCM_PATH=${rocmPackages.clr}
      export ROCM_SOURCE_DIR=${rocmPackages.clr}
      export PYTORCH_ROCM_ARCH="${targetList}"
      export CMAKE_CXX_FLAGS="-I${rocmPackages.clr}/include"
    '';

  # PyTorch's own setup.py runs CMake, and hands it variables of the environment only.
  dontUseCmakeConfigure = true;
  hardeningDisable = [ "fortify3" ];

  cmakeFlags = [
    (lib.cmakeFeature "PYTHON_SIX_SOURCE_DIR" "${six}/${python.sitePackages}")
    (lib.cmakeFeature "CUDAToolkit_VERSION" cudaMajorMinorVersion)
  ]
  ++ lib.optionals cudaSupport [
    (lib.cmakeFeature "CMAKE_CUDA_COMPILER_TOOLKIT_VERSION" cudaMajorMinorVersion)
  ];

  preBuild = ''
    export MAX_JOBS=$NIX_BUILD_CORES
    ${python.interpreter} setup.py build --cmake-only
    ${cmake}/bin/cmake build
  '';

  nativeBuildInputs = [
    cmake
    which
    ninja
    pkg-config
  ]
  ++ lib.optionals cudaSupport [ cudaPackages.cuda_nvcc ];

  buildInputs = [
    blas
    blas.provider
  ]
  ++ lib.optionals cudaSupport [
    cudaPackages.cuda_cccl
    cudaPackages.cuda_cudart
    cudaPackages.cuda_cupti
    cudaPackages.cuda_nvml_dev
    cudaPackages.cuda_nvrtc
    cudaPackages.cuda_nvtx
    cudaPackages.cuda_profiler_api
    cudaPackages.cudnn
    cudaPackages.cusparselt
    cudaPackages.libcublas
    cudaPackages.libcufft
    cudaPackages.libcufile
    cudaPackages.libcurand
    cudaPackages.libcusolver
    cudaPackages.libcusparse
  ]
  ++ lib.optionals (cudaSupport && useSystemNccl) [ cudaPackages.nccl ]
  ++ lib.optionals rocmSupport [
    rocmPackages.clr
    rocmPackages.rocblas
  ]
  ++ lib.optionals (cudaSupport || rocmSupport) [ effectiveMagma ]
  ++ lib.optionals hostPlatform.isLinux [ numactl ]
  ++ lib.optionals tritonSupport [ _tritonEffective ]
  ++ lib.optionals MPISupport [ mpi ];

  dependencies = [
    filelock
    jinja2
    networkx
    six
    sympy
    typing-extensions
  ]
  ++ lib.optionals tritonSupport [ _tritonEffective ];

  pythonImportsCheck = [ "torch" ];

  postInstall = ''
    mkdir $dev $lib
    cp -r $out/${python.sitePackages}/torch/include $dev/include
    mv $out/${python.sitePackages}/torch/lib $lib/lib
    ln -s $lib/lib $out/${python.sitePackages}/torch/lib
  '';

  requiredSystemFeatures = [ "big-parallel" ];

  passthru = {
    inherit
      brokenConditions
      cudaPackages
      cudaSupport
      rocmPackages
      rocmSupport
      ;
    stdenv = backendStdenv;
    cudaCapabilities = if cudaSupport then cudaCapabilities else [ ];
    blasProvider = blas.provider;
  };

  _model = {
    inherit cudaSupport rocmSupport gpuTargets;
    cuda = if cudaSupport then cudaMajorMinorVersion else null;
    cudaCapabilities = if cudaSupport then requested else [ ];
    magma = if cudaSupport || rocmSupport then effectiveMagma else null;
    ncclFlags = if cudaSupport && useSystemNccl then cudaPackages.nccl.makeFlags else [ ];
    rocmTargets = if rocmSupport then rocmPackages.rocblas.gpuTargets else [ ];
    blas = blas.implementation;
  };

  meta = {
    description =
      "PyTorch: Tensors and Dynamic neural networks in Python"
      + " with strong GPU acceleration";
    homepage = "https://pytorch.org/";
    changelog = "https://github.com/pytorch/pytorch/releases/tag/v${finalAttrs.version}";
    license = lib.licenses.bsd3;
    platforms =
      lib.platforms.linux ++ lib.optionals (!cudaSupport && !rocmSupport) lib.platforms.darwin;
    broken = brokenConditions != { };
  };
})
