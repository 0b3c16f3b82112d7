# Packages of Python that language models are trained with. Up to 24.11 their versions are those of Spack
# 0.23.1, of the same days, and later ones are newer: which release of nixpkgs has which was not looked up.
{
  lib,
  knowledge,
  buildPythonPackage,
}:
self:
let
  before = lib.versionOlder knowledge.release "25.05";

  library =
    pname: older: newer: dependencies:
    buildPythonPackage {
      inherit pname dependencies;
      version = if before then older else newer;
      src = "${pname}-source";
      meta.description = "Python package ${pname}";
    };
  # Written in Rust: its crates are fetched beside it.
  rusty =
    pname: older: newer:
    (library pname older newer [ ]).overridePythonAttrs (_: {
      cargoDeps = "crates-of-${pname}";
    });

  # Those of Hugging Face are built from a folder of the repository, which nixpkgs fetches.
  inRepository =
    package:
    package.overridePythonAttrs (_: {
      sourceRoot = "source/bindings/python";
    });
in
{
  appdirs = library "appdirs" "1.4.4" "1.4.4" [ ];
  cython = library "cython" "3.0.10" "3.1.2" [ ];
  docker-pycreds = library "docker-pycreds" "0.4.0" "0.4.0" [ self.six ];
  hf-transfer = rusty "hf-transfer" "0.1.6" "0.1.9";
  huggingface-hub = library "huggingface-hub" "0.24.6" "0.34.4" [ self.filelock ];
  importlib-metadata = library "importlib-metadata" "8.5.0" "8.7.0" [ ];
  numcodecs = library "numcodecs" "0.13.0" "0.16.1" [ self.numpy ];
  packaging = library "packaging" "24.1" "25.0" [ ];
  pathtools = library "pathtools" "0.1.2" "0.1.2" [ ];
  pybind11 = library "pybind11" "2.13.5" "3.0.1" [ ];
  pydantic = library "pydantic" "2.7.4" "2.11.7" [ self.pydantic-core ];
  pydantic-core = rusty "pydantic-core" "2.18.4" "2.33.2";
  pyyaml = library "pyyaml" "6.0.2" "6.0.2" [ ];
  safetensors = inRepository (rusty "safetensors" "0.4.3" "0.6.2");
  sentencepiece = library "sentencepiece" "0.1.91" "0.2.1" [ ];
  sentry-sdk = library "sentry-sdk" "1.5.5" "2.34.1" [ ];
  setuptools-scm = library "setuptools-scm" "8.0.4" "8.3.1" [ ];
  sympy = library "sympy" "1.13.0" "1.14.0" [ ];
  tokenizers = inRepository (rusty "tokenizers" "0.19.1" "0.22.0");
  transformers = library "transformers" "4.42.3" "4.56.0" [
    self.huggingface-hub
    self.tokenizers
    self.safetensors
  ];
  versioneer = library "versioneer" "0.29" "0.29" [ ];
  wandb = library "wandb" "0.13.9" "0.21.3" [
    self.pathtools
    self.sentry-sdk
  ];
  zarr = library "zarr" "2.17.0" "3.1.1" [ self.numcodecs ];
}
