# One CUDA toolkit's package set: the members that recipes, MAGMA and PyTorch use.
{
  lib,
  config,
  newScope,
  makeStdenv,
  release,
}:
let
  # The oldest and the newest toolkit that compiles for a capability; null is no end.
  capabilityTable = {
    "5.0" = [ "10.0" "12.9" ];
    "5.2" = [ "10.0" "12.9" ];
    "6.0" = [ "10.0" "12.9" ];
    "6.1" = [ "10.0" "12.9" ];
    "7.0" = [ "10.0" "12.9" ];
    "7.5" = [ "10.0" null ];
    "8.0" = [ "11.2" null ];
    "8.6" = [ "11.2" null ];
    "8.7" = [ "11.5" null ];
    "8.9" = [ "11.8" null ];
    "9.0" = [ "11.8" null ];
    "9.0a" = [ "12.0" null ];
    "10.0" = [ "12.8" null ];
    "10.0a" = [ "12.8" null ];
    "10.3" = [ "12.9" null ];
    "11.0" = [ "13.0" null ];
    "12.0" = [ "12.8" null ];
    "12.0a" = [ "12.8" null ];
    "12.1" = [ "12.9" null ];
  };

  compilable =
    capability:
    let
      range = capabilityTable.${capability};
      oldest = builtins.elemAt range 0;
      newest = builtins.elemAt range 1;
    in
    lib.versionAtLeast release.version oldest
    && (newest == null || lib.versionAtLeast newest (lib.versions.majorMinor release.version));

  isBaseline = capability: lib.versionAtLeast capability "7.5" && !(lib.hasSuffix "a" capability);

  ascending = lib.sort lib.versionOlder (lib.attrNames capabilityTable);

  unknown = lib.subtractLists ascending config.cudaCapabilities;

  cudaCapabilities =
    if unknown != [ ] then
      throw "Unrecognized CUDA capabilities: ${lib.concatStringsSep " " unknown}"
    else if config.cudaCapabilities != [ ] then
      config.cudaCapabilities
    else
      lib.filter (capability: compilable capability && isBaseline capability) ascending;

  withoutDot = lib.replaceStrings [ "." ] [ "" ];
in
lib.makeScope newScope (
  self:
  let
    component =
      pname: version:
      lib.makeOverridable (
        {
          version,
          license ? lib.licenses.nvidiaCuda,
        }:
        self.backendStdenv.mkDerivation {
          inherit pname version;
          outputs = [
            "out"
            "dev"
            "lib"
          ];
          cuda = self.cudaMajorMinorVersion;
          meta = {
            description = "${pname} of CUDA ${self.cudaMajorMinorVersion}";
            platforms = lib.platforms.linux;
            inherit license;
          };
        }
      ) { inherit version; };

    toolkitComponents = [
      "cuda_cccl"
      "cuda_cudart"
      "cuda_cuobjdump"
      "cuda_cupti"
      "cuda_nvcc"
      "cuda_nvml_dev"
      "cuda_nvrtc"
      "cuda_nvtx"
      "cuda_profiler_api"
      "cudatoolkit"
      "libcublas"
      "libcufft"
      "libcufile"
      "libcurand"
      "libcusolver"
      "libcusparse"
    ];
  in
  lib.genAttrs toolkitComponents (pname: component pname release.version)
  // {
    cudaVersion = release.version;
    cudaMajorMinorVersion = lib.versions.majorMinor release.version;
    cudaMajorVersion = lib.versions.major release.version;
    cudaAtLeast = lib.versionAtLeast release.version;
    cudaOlder = lib.versionOlder release.version;

    backendStdenv = makeStdenv {
      name = "stdenv-cuda";
      compiler = "gcc${release.maxGcc}";
    };

    flags = {
      inherit cudaCapabilities;
      inherit (config) cudaForwardCompat;
      isJetsonBuild = false;
      cmakeCudaArchitecturesString = lib.concatMapStringsSep ";" withoutDot cudaCapabilities;
      gencode = map (
        capability: "-gencode=arch=compute_${withoutDot capability},code=sm_${withoutDot capability}"
      ) cudaCapabilities;
    };

    cudnn = (component "cudnn" "9.13.0").override { license = lib.licenses.nvidiaCudnn; };
    cusparselt = component "cusparselt" "0.8.1";
    # Its later name.
    libcusparse_lt = component "libcusparse_lt" "0.8.1";
    nccl = self.callPackage (
      {
        backendStdenv,
        cuda_cudart,
        cuda_nvcc,
        flags,
      }:
      backendStdenv.mkDerivation {
        pname = "nccl";
        version = "2.28.7-1";
        nativeBuildInputs = [ cuda_nvcc ];
        buildInputs = [ cuda_cudart ];
        makeFlags = [ "NVCC_GENCODE=${lib.concatStringsSep " " flags.gencode}" ];
        meta = {
          description = "Collective communication between several GPUs";
          license = lib.licenses.bsd3;
          platforms = lib.platforms.linux;
          unsupported = flags.isJetsonBuild;
        };
      }
    ) { };
  }
)
