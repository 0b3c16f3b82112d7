# The top level, as a function of its own fixed point.
{
  lib,
  config,
  system,
  modelArgs,
  extend,
}:
pkgs:
let
  makeStdenv =
    arguments:
    import ./stdenv.nix (
      {
        inherit
          lib
          config
          system
          modelArgs
          ;
      }
      // arguments
    );

  inherit (pkgs) callPackage;

  library =
    pname: version:
    pkgs.stdenv.mkDerivation {
      inherit pname version;
      meta = {
        description = "Library or tool ${pname}";
        platforms = lib.platforms.unix;
      };
    };

  cudaSet =
    version: maxGcc:
    callPackage ./cuda-packages.nix {
      release = {
        inherit version maxGcc;
      };
    };

  python = pythonVersion: callPackage ./python.nix { inherit pythonVersion; };
in
{
  inherit
    lib
    config
    system
    modelArgs
    makeStdenv
    ;
  inherit pkgs;
  revision = import ./revisions.nix (modelArgs.url or "");

  # The model's own way in: more overlays on top of these.
  extend = overlay: extend [ overlay ];
  appendOverlays = extend;

  callPackage = pkgs.newScope { };
  newScope = extra: lib.callPackageWith (pkgs // extra);

  stdenv = makeStdenv { };
  inherit (import ./fetchers.nix { inherit (pkgs) lib stdenv; })
    fetchurl
    fetchpatch
    fetchpatch2
    fetchzip
    fetchgit
    fetchFromGitHub
    ;

  inherit (import ./trivial-builders.nix { inherit (pkgs) stdenv; })
    runCommand
    writeText
    symlinkJoin
    ;

  cmake = library "cmake" "4.1.2";
  ninja = library "ninja" "1.13.1";
  numactl = library "numactl" "2.0.18";
  pkg-config = library "pkg-config" "0.29.2";
  which = library "which" "2.23";
  mpi = library "openmpi" "5.0.8" // {
    cudatoolkit = if config.cudaSupport then pkgs.cudaPackages.cudatoolkit else null;
  };

  openblas = callPackage (
    {
      stdenv,
      blas64 ? false,
    }:
    stdenv.mkDerivation {
      pname = "openblas";
      version = "0.3.30";
      inherit blas64;
      meta = {
        description = "Basic Linear Algebra Subprograms";
        license = lib.licenses.bsd3;
        platforms = lib.platforms.unix;
      };
    }
  ) { };
  mkl = pkgs.stdenv.mkDerivation {
    pname = "mkl";
    version = "2023.1.0.46342";
    meta = {
      description = "Intel OneAPI Math Kernel Library";
      license = lib.licenses.issl;
      platforms = lib.platforms.x86_64;
    };
  };
  blas = callPackage (
    {
      blasProvider ? pkgs.openblas,
      isILP64 ? false,
    }:
    callPackage ./blas.nix {
      library = "blas";
      provider = blasProvider;
      inherit isILP64;
    }
  ) { };
  lapack = callPackage (
    {
      lapackProvider ? pkgs.openblas,
      isILP64 ? false,
    }:
    callPackage ./blas.nix {
      library = "lapack";
      provider = lapackProvider;
      inherit isILP64;
    }
  ) { };

  cudaPackages_12_6 = cudaSet "12.6.3" "13";
  cudaPackages_12_8 = cudaSet "12.8.1" "14";
  cudaPackages_12_9 = cudaSet "12.9.1" "14";
  cudaPackages_13_0 = cudaSet "13.0.2" "15";
  cudaPackages_13_1 = cudaSet "13.1.1" "15";
  cudaPackages_12 = pkgs.cudaPackages_12_8;
  cudaPackages_13 = pkgs.cudaPackages_13_0;
  cudaPackages = pkgs.cudaPackages_12;

  magma = callPackage ./magma.nix { };
  magma-cuda = pkgs.magma.override {
    cudaSupport = true;
    rocmSupport = false;
  };
  magma-cuda-static = pkgs.magma-cuda.override { static = true; };
  magma-hip = pkgs.magma.override {
    cudaSupport = false;
    rocmSupport = true;
  };

  rocmPackages = callPackage ./rocm-packages.nix { };

  pythonPackagesExtensions = [ ];
  python311 = python "3.11";
  python312 = python "3.12";
  python313 = python "3.13";
  python3 = pkgs.python313;
  python311Packages = pkgs.python311.pkgs;
  python312Packages = pkgs.python312.pkgs;
  python313Packages = pkgs.python313.pkgs;
  python3Packages = pkgs.python3.pkgs;
}
