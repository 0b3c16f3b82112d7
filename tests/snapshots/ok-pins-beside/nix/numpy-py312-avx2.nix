# numpy-py312-avx2: py312, avx2
# Made by tvarc from input.tvar: matrix plain, recipe numpy.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-c8HGCB99htkvqUrfmtWqXN/3WEYiKffOEjmo6dBKric=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = ./nixpkgs;

  pinned = import nixpkgs {
    localSystem = {
      inherit (pkgs.stdenv.hostPlatform) system;
      gcc = {
        arch = "haswell";
      };
    };
    config = { };
    overlays = [
      # patched
      (
        final: prev:
        assert
          prev ? python312Packages
          || throw "overlay `patched`: this nixpkgs has no `python312Packages`";
        {
          python312Packages =
            assert
              (
                prev ? python312Packages.override
                && prev.lib.functionArgs prev.python312Packages.override ? overrides
              )
              || throw "overlay `patched`: `python312Packages` of this nixpkgs has no `.override` that takes `overrides`; write another `via`";
            prev.python312Packages.override (old: {
              overrides = prev.lib.composeExtensions (old.overrides or (_: _: { })) (
                pyFinal: pyPrev: {
                  numpy =
                    assert
                      pyPrev ? numpy.overrideAttrs
                      || throw "overlay `patched`: this nixpkgs has no package `numpy` with `.overrideAttrs`";
                    pyPrev.numpy.overrideAttrs (_: { doCheck = false; });
                }
              );
            });
        }
      )
      # newer
      (
        final: prev:
        assert
          prev ? python312Packages
          || throw "overlay `newer`: this nixpkgs has no `python312Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `newer`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: { scipy = pyFinal.scipy_2; })
          ];
        }
      )
      # fix
      (
        final: prev:
        assert
          prev ? python312Packages || throw "patch `fix`: this nixpkgs has no `python312Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "patch `fix`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              numpy =
                assert
                  pyPrev ? numpy.overrideAttrs
                  || throw "patch `fix`: this nixpkgs has no package `numpy` with `.overrideAttrs`";
                pyPrev.numpy.overrideAttrs (old: {
                  patches = prev.lib.remove null (prev.lib.toList (old.patches or [ ])) ++ [
                    ./fix.patch
                  ];
                });
            })
          ];
        }
      )
    ];
  };
in
assert
  pinned.lib.versionAtLeast pinned.lib.trivial.release "21.05"
  || throw "`gcc` of a platform is known to nixpkgs from 21.05 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
pinned.python312Packages.numpy
