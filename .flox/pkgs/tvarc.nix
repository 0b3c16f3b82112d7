# tvarc itself, built from this checkout.
{
  lib,
  python3Packages,
}:
let
  root = ../..;
  parts = [
    "LICENSE"
    "README.md"
    "bin"
    "compiler"
    "completions"
    "docs"
    "grammar"
    "hatch_build.py"
    "pyproject.toml"
    "stdlib"
    "templates"
  ];
  written = builtins.readFile (root + "/compiler/tvarc/__init__.py");
  version = builtins.head (
    builtins.elemAt (builtins.split "__version__ = \"([^\"]+)\"" written) 1
  );
  # The first step of a path below the root.
  step =
    path:
    builtins.head (
      builtins.split "/" (
        builtins.substring (builtins.stringLength (toString root) + 1) (builtins.stringLength path) path
      )
    );
in
python3Packages.buildPythonApplication {
  pname = "tvarc";
  inherit version;
  pyproject = true;
  src = builtins.path {
    name = "tvarc-${version}-source";
    path = root;
    filter =
      path: _: builtins.elem (step path) parts && builtins.baseNameOf path != "__pycache__";
  };
  build-system = [
    python3Packages.hatchling
    python3Packages.lark
  ];
  dependencies = [
    python3Packages.lark
    python3Packages.tomlkit
    python3Packages.tree-sitter
    python3Packages.tree-sitter-grammars.tree-sitter-nix
    python3Packages.typer
  ];
  # A newer one is only slower to start.
  pythonRelaxDeps = [ "typer" ];
  pythonImportsCheck = [ "tvarc" ];
  meta = {
    description = "Declarative language for build matrices, and its compiler to Nix recipes";
    license = lib.licenses.mit;
    mainProgram = "tvarc";
    platforms = lib.platforms.unix;
  };
}
