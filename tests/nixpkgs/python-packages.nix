# The members of a Python package set that PyTorch and its family need, and tvarc itself.
{
  lib,
  python,
  knowledge,
  ownSource,
}:
self:
let
  inherit (knowledge) features;

  # The model's own packages are made with the whole library, and fetched in the newest way.
  call =
    file: arguments:
    let
      formals = lib.functionArgs (import file);
      own = { inherit lib features; } // ownSource;
    in
    self.callPackage file (lib.intersectAttrs formals own // arguments);

  # As `buildPythonPackage` of nixpkgs: the name carries the interpreter and stays when a later
  # `overrideAttrs` gives another `pname`.
  buildPythonPackage =
    attributesOrFunction:
    let
      build =
        attributes:
        let
          stdenv = attributes.stdenv or python.stdenv;
          version = attributes.version;
        in
        stdenv.mkDerivation (
          removeAttrs attributes [
            "stdenv"
            "build-system"
            "dependencies"
            "disabled"
          ]
          // {
            name = "${python.libPrefix}-${attributes.pname}-${version}";
            nativeBuildInputs = [
              python
            ]
            ++ attributes.build-system or [ ]
            ++ attributes.nativeBuildInputs or [ ];
            propagatedBuildInputs = (attributes.dependencies or [ ]) ++ [ python ];
            passthru = {
              pythonModule = python;
              dependencies = attributes.dependencies or [ ];
            }
            // attributes.passthru or { };
            meta = {
              platforms = python.meta.platforms;
            }
            // attributes.meta or { };
          }
        );
      # `overrideAttrs` and `overridePythonAttrs` are both kept through each other.
      overridable =
        finish: attributes:
        if attributes.disabled or false then
          throw "${attributes.pname} not supported for interpreter ${python.executable}"
        else
          let
            package = finish (build attributes);
          in
          package
          // {
            overridePythonAttrs =
              change:
              overridable finish (
                attributes // (if lib.isFunction change then change attributes else change)
              );
            overrideAttrs =
              change: overridable (built: (finish built).overrideAttrs change) attributes;
          };
    in
    overridable lib.id (
      if lib.isFunction attributesOrFunction then
        lib.fix attributesOrFunction
      else
        attributesOrFunction
    );

  simple = pname: version: dependencies: {
    inherit pname version dependencies;
    meta.description = "Python package ${pname}";
  };
  buildSimple =
    pname: version: dependencies:
    buildPythonPackage (simple pname version dependencies);

  torch = call (if features.torchTargets then ./torch else ./torch/older.nix) { };
  withCuda =
    package:
    package.override (
      {
        cudaSupport = true;
      }
      // lib.optionalAttrs features.torchTargets {
        triton = self.triton-cuda;
        rocmSupport = false;
      }
    );
in
{
  inherit buildPythonPackage python;
  inherit (python) pythonAtLeast pythonOlder;
  buildPythonApplication = buildPythonPackage;

  filelock = buildSimple "filelock" "3.20.0" [ ];
  jinja2 = buildSimple "jinja2" "3.1.6" [ ];
  networkx = buildSimple "networkx" "3.5" [ ];
  numpy = self.callPackage (
    {
      buildPythonPackage,
      blas,
      lapack,
    }:
    buildPythonPackage (simple "numpy" "2.3.4" [ ] // {
      buildInputs = [
        blas
        lapack
      ];
      passthru = {
        inherit blas;
        blasImplementation = blas.implementation;
      };
    })
  ) { };
  # What is built on it links the same BLAS.
  scipy = self.callPackage (
    {
      buildPythonPackage,
      numpy,
      blas,
      lapack,
    }:
    buildPythonPackage (simple "scipy" "1.16.3" [ numpy ] // {
      buildInputs = [
        blas
        lapack
      ];
      passthru = { inherit blas; };
    })
  ) { };
  scikit-learn = self.callPackage (
    {
      buildPythonPackage,
      numpy,
      scipy,
    }:
    buildPythonPackage (simple "scikit-learn" "1.7.2" [ numpy scipy ])
  ) { };
  pillow = buildSimple "pillow" "12.0.0" [ ];
  setuptools = buildSimple "setuptools" "80.9.0" [ ];
  six = buildSimple "six" "1.17.0" [ ];
  triton = buildSimple "triton" "3.5.0" [ self.filelock ];
  triton-cuda = self.triton.overridePythonAttrs (old: {
    pname = "triton-cuda";
  });
  hatchling = buildSimple "hatchling" "1.27.0" [ ];
  lark = buildSimple "lark" "1.3.1" [ ];
  tomlkit = buildSimple "tomlkit" "0.13.3" [ ];
  typer = buildSimple "typer" "0.20.0" [ ];
  typing-extensions = buildSimple "typing-extensions" "4.15.0" [ ];

  torchvision = call ./torchvision.nix { };
  torchaudio = call ./torchaudio.nix { };
}
// import ./training-packages.nix { inherit lib knowledge buildPythonPackage; } self
// (
  if features.torchName then
    {
      torch = torch;
      torchWithCuda = withCuda self.torch;
      torchWithoutCuda = self.torch.override { cudaSupport = false; };
      # The name that it had until 2022.
      pytorch = self.torch;
    }
    // lib.optionalAttrs features.torchTargets {
      torchWithRocm = self.torch.override {
        cudaSupport = false;
        rocmSupport = true;
      };
    }
  else
    {
      pytorch = torch;
      pytorchWithCuda = withCuda self.pytorch;
      pytorchWithoutCuda = self.pytorch.override { cudaSupport = false; };
    }
)
