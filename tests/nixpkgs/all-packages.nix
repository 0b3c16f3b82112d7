# The top level, as a function of its own fixed point.
{
  lib,
  config,
  knowledge,
  localSystem,
  crossSystem,
  forBuilding,
  modelArgs,
  extend,
}:
pkgs:
let
  inherit (knowledge) features;

  makeStdenv =
    arguments:
    import ./stdenv.nix (
      {
        inherit
          lib
          config
          knowledge
          localSystem
          crossSystem
          modelArgs
          ;
      }
      // arguments
    );

  # The model's own packages are made with the whole library, and fetched in the newest way.
  callPackage =
    file: arguments:
    let
      f = if lib.isFunction file then file else import file;
    in
    pkgs.callPackage f (lib.optionalAttrs (lib.functionArgs f ? lib) { inherit lib; } // arguments);
  fetchers =
    known:
    import ./fetchers.nix {
      inherit lib;
      inherit (pkgs) stdenv;
      # What it is made of is made before there is a curl.
      curl = pkgs.curl.overrideAttrs (_: {
        buildInputs = [ ];
      });
      features = known;
    };
  newestFetchers = fetchers (import ./ages.nix { age = "today"; }).features;
  ownSource = {
    inherit (newestFetchers) fetchFromGitHub;
  };

  library =
    pname: version:
    pkgs.stdenv.mkDerivation {
      inherit pname version;
      meta = {
        description = "Library or tool ${pname}";
        platforms = lib.platforms.unix;
      };
    };

  underscored = lib.replaceStrings [ "." ] [ "_" ];

  # The patch release and the newest compiler of each toolkit.
  toolkits = {
    "12.6" = [ "12.6.3" "13" ];
    "12.8" = [ "12.8.1" "14" ];
    "12.9" = [ "12.9.1" "14" ];
    "13.0" = [ "13.0.2" "15" ];
    "13.1" = [ "13.1.1" "15" ];
  };
  cudaSet =
    version:
    let
      toolkit = toolkits.${version} or [ "${version}.0" "11" ];
    in
    callPackage ./cuda-packages.nix {
      release = {
        version = lib.head toolkit;
        maxGcc = lib.last toolkit;
      };
    };
  # Every version by its name, the newest of each major one, and one without a version.
  cudaSets =
    lib.genAttrs (map (version: "cudaPackages_${underscored version}") knowledge.cuda) (
      name: cudaSet (lib.replaceStrings [ "_" ] [ "." ] (lib.removePrefix "cudaPackages_" name))
    )
    // builtins.listToAttrs (
      map (version: {
        name = "cudaPackages_${lib.versions.major version}";
        value = pkgs."cudaPackages_${underscored version}";
      }) (lib.filter (version: version == majorDefault version) knowledge.cuda)
    )
    // {
      cudaPackages = pkgs."cudaPackages_${lib.versions.major knowledge.defaultCuda}";
    };
  # What cudaPackages_12 is: the default version if it is one of these, or else the first.
  majorDefault =
    version:
    let
      major = lib.versions.major version;
    in
    if lib.versions.major knowledge.defaultCuda == major then
      knowledge.defaultCuda
    else
      lib.head (lib.filter (other: lib.versions.major other == major) knowledge.cuda);

  # Toolkits before CUDA's package sets: members of one plain set.
  plainCuda = rec {
    cudaPackages = callPackage (
      { stdenv }:
      lib.listToAttrs (
        map (version: {
          name = "cudatoolkit_${underscored version}";
          value = stdenv.mkDerivation {
            pname = "cudatoolkit";
            inherit version;
            meta.license = lib.licenses.nvidiaCuda;
          };
        }) knowledge.cuda
      )
    ) { };
    cudatoolkit = pkgs.cudaPackages."cudatoolkit_${underscored knowledge.defaultCuda}";
  };

  python =
    pythonVersion:
    callPackage ./python.nix {
      inherit pythonVersion knowledge ownSource;
      pythonPackagesExtensions = lib.optionals features.pythonExtensions pkgs.pythonPackagesExtensions;
      self = pkgs.${pythonName pythonVersion};
    };
  pythonName = version: "python${lib.replaceStrings [ "." ] [ "" ] version}";
  pythons =
    lib.genAttrs (map pythonName knowledge.python) (
      name:
      let
        digits = lib.removePrefix "python3" name;
      in
      python "3.${digits}"
    )
    // lib.listToAttrs (
      map (version: {
        name = "${pythonName version}Packages";
        value = pkgs.${pythonName version}.pkgs;
      }) knowledge.python
    )
    // {
      python3 = pkgs.${pythonName knowledge.defaultPython};
      python3Packages = pkgs.python3.pkgs;
    };
in
{
  inherit
    config
    modelArgs
    makeStdenv
    ;
  inherit pkgs;
  inherit (localSystem) system;
  lib = lib.ofAge;
  revision = import ./revisions.nix (modelArgs.url or "");

  # The model's own way in: more overlays on top of these.
  extend = overlay: extend [ overlay ];
  appendOverlays = extend;

  callPackage = pkgs.newScope { };
  newScope = extra: lib.callPackageWith (import ./splice.nix { inherit lib pkgs; } // extra);
  buildPackages = if forBuilding == null then pkgs else forBuilding;

  stdenv = makeStdenv { };
  inherit (fetchers features)
    fetchurl
    fetchpatch
    fetchzip
    fetchgit
    fetchFromGitHub
    ;

  inherit (import ./trivial-builders.nix { inherit (pkgs) stdenv; })
    closureInfo
    runCommand
    writeText
    symlinkJoin
    buildEnv
    ;

  cmake = library "cmake" "4.1.2";
  ninja = library "ninja" "1.13.1";
  numactl = library "numactl" "2.0.18";
  addDriverRunpath = library "add-driver-runpath" "1";
  pkg-config = library "pkg-config" "0.29.2";
  which = library "which" "2.23";
  hello = library "hello" "2.12.1";
  # Its own variable is where variables are at this age.
  jq = (library "jq" "1.8.1").overrideAttrs (
    _: if features.env then { env.CFLAGS = "-O2"; } else { CFLAGS = "-O2"; }
  );
  zlib = library "zlib" "1.3.1";
  openssl = library "openssl" "3.5.0";
  curl = (library "curl" "8.14.1").overrideAttrs (_: {
    buildInputs = [
      pkgs.openssl
      pkgs.zlib
    ];
  });
  # What a package says of itself is not of one kind everywhere.
  kinds = (library "kinds" "1.0").overrideAttrs (_: {
    makeFlags = "A=1";
    buildFlags = null;
    checkFlags = [
      "-a"
      "-b"
    ];
    patches = ./magma-cuda13.patch;
  });
  # Its source is a folder of a repository, and its name is made before anything is changed.
  rooted = pkgs.stdenv.mkDerivation {
    name = "rooted-1";
    pname = "rooted";
    version = "1";
    src = pkgs.fetchFromGitHub {
      owner = "o";
      repo = "rooted";
      rev = "1";
      sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
    };
    sourceRoot = "source/bindings/python";
  };
  # Of a nixpkgs that is not whole: its file is not there.
  incomplete = callPackage ./no-such-file.nix { };
  # It takes whatever it is given, and reads one argument.
  careless = callPackage (
    {
      stdenv,
      size ? 1,
      ...
    }:
    stdenv.mkDerivation {
      pname = "careless";
      version = "1";
      inherit size;
      configureFlags = [ "--with-zlib" ];
      buildInputs = [ pkgs.zlib ];
    }
  ) { };
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

  cpuinfo = library "cpuinfo" "0-unstable-2023-11-04";
  faiss = library "faiss" "1.7.4";
  hdf5 = library "hdf5" "1.14.4.3";
  sentencepiece = library "sentencepiece" "0.1.91";
  # As many crates as a hash stands for; without one Nix is to say which it found.
  rustPlatform.fetchCargoTarball =
    {
      name,
      src,
      hash,
      sourceRoot ? "",
    }:
    pkgs.stdenv.mkDerivation {
      name = "${name}-vendor.tar.gz";
      inherit src hash sourceRoot;
    };

  # As much of FFmpeg as its codecs.
  x264 = library "x264" "0-unstable-2025-01-03";
  x265 = library "x265" "4.1";
  svt-av1 = library "svt-av1" "3.1.2";
  ffmpeg = callPackage (
    {
      stdenv,
      x264,
      x265,
      svt-av1,
      withGPL ? true,
      withX264 ? withGPL,
      withX265 ? withGPL,
      withSvtav1 ? !stdenv.hostPlatform.isAarch64,
    }:
    stdenv.mkDerivation {
      pname = "ffmpeg";
      version = "8.0";
      buildInputs =
        lib.optional withX264 x264 ++ lib.optional withX265 x265 ++ lib.optional withSvtav1 svt-av1;
      configureFlags = [
        (if withGPL then "--enable-gpl" else "--disable-gpl")
        (if withX264 then "--enable-libx264" else "--disable-libx264")
        (if withX265 then "--enable-libx265" else "--disable-libx265")
        (if withSvtav1 then "--enable-libsvtav1" else "--disable-libsvtav1")
      ];
      meta = {
        description = "Complete solution to record, convert and stream audio and video";
        platforms = lib.platforms.unix;
      };
    }
  ) { };
  autoAddDriverRunpath = library "auto-add-driver-runpath" "1";

  magma = callPackage ./magma.nix ownSource;
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
}
// lib.optionalAttrs features.fetchpatch2 { inherit (fetchers features) fetchpatch2; }
// lib.optionalAttrs features.pythonExtensions { pythonPackagesExtensions = [ ]; }
// pythons
// (if features.cudaScope then cudaSets else plainCuda)
// import ./package-sets.nix {
  inherit
    lib
    config
    features
    pkgs
    callPackage
    ;
}
