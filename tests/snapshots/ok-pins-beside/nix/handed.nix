# handed: py313, avx2
# Made by tvarc from input.tvar: matrix handed, recipe mixed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-MUgzK1n2OWFsoag/eOprB7x7EEIutB09ZabmzVwRi1U=
{
  hello,
  ninja,
  pkgs,
  zlib,
}:

let
  extended = pkgs.appendOverlays [
    # newer
    (
      final: prev:
      assert
        prev ? python313Packages
        || throw "overlay `newer`: this nixpkgs has no `python313Packages`";
      assert
        prev ? pythonPackagesExtensions
        || throw "overlay `newer`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; call this recipe with a later one, or pin one";
      {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: { scipy = pyFinal.scipy_2; })
        ];
      }
    )
  ];

  scope =
    extended.callPackage
      (
        names@{
          hello,
          python313Packages ? null,
        }:
        names
      )
      { };
in
assert
  scope ? python313Packages.numpy.overrideAttrs
  || throw "this nixpkgs has no package `python313Packages.numpy` with `.overrideAttrs`";
scope.python313Packages.numpy.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [ zlib ];
  tool = "${ninja}/bin/ninja";
  both =
    let
      caller = { inherit hello; };
    in
    let
      pkgs = scope;
    in
    ([ caller.hello pkgs.hello ]);
})
