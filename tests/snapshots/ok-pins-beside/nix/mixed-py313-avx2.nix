# mixed-py313-avx2: py313, avx2
# Made by tvarc from input.tvar: matrix more, recipe mixed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-BEqll+1RZ9+4MoWkaGF3aLSq4rS22GYqSML2A3vXAhU=
{
  pkgs ? import <nixpkgs> { },
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
          prev ? python313Packages
          || throw "overlay `patched`: this nixpkgs has no `python313Packages`";
        {
          python313Packages =
            assert
              (
                prev ? python313Packages.override
                && prev.lib.functionArgs prev.python313Packages.override ? overrides
              )
              || throw "overlay `patched`: `python313Packages` of this nixpkgs has no `.override` that takes `overrides`; write another `via`";
            prev.python313Packages.override (old: {
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
          prev ? python313Packages
          || throw "overlay `newer`: this nixpkgs has no `python313Packages`";
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
          prev ? python313Packages || throw "patch `fix`: this nixpkgs has no `python313Packages`";
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
assert
  pinned ? python313Packages.numpy.overrideAttrs
  || throw "this nixpkgs has no package `python313Packages.numpy` with `.overrideAttrs`";
pinned.python313Packages.numpy.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [ pkgs.zlib ];
  tool = "${pkgs.ninja}/bin/ninja";
  both =
    let
      caller = pkgs;
    in
    let
      pkgs = pinned;
    in
    ([ caller.hello pkgs.hello ]);
})
