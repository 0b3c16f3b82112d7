# transformers-newer
# Made by tvarc from input.tvar: matrix transformers-newer, recipe transformers.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ftbqUbrxCN7JaedXvmnHWt3FS4xUgONTySidbxzXU98=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # tokenizers
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `tokenizers`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `tokenizers`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              tokenizers =
                assert
                  pyPrev ? tokenizers.overrideAttrs
                  || throw "overlay `tokenizers`: this nixpkgs has no package `tokenizers` with `.overrideAttrs`";
                pyPrev.tokenizers.overrideAttrs (_: {
                  version = "0.21.0";
                  src = final.fetchurl {
                    url = "mirror://pypi/t/tokenizers/tokenizers-0.21.0.tar.gz";
                    hash = "sha256-7giUvzEbdbDAMHnzOFmuSyM01nXU6T9aQTLh6uKDT+Q=";
                  };
                  sourceRoot = "source/bindings/python";
                });
            })
          ];
        }
      )
    ];
  };
in
assert
  builtins.isAttrs pinned.python3Packages.tokenizers
  || throw "overlay `tokenizers`: `python3Packages.tokenizers` of this nixpkgs is no package";
pinned.python3Packages.transformers
