# handed: py313, avx2
# Made by tvarc from input.tvar: matrix handed, recipe mixed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-oAmRKcXLntS1u5EA1dCQ2jwwAmQpucl4cUeIYu/j4kk=
{
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
in
assert
  extended ? python313Packages.numpy.overrideAttrs
  || throw "this nixpkgs has no package `python313Packages.numpy` with `.overrideAttrs`";
extended.python313Packages.numpy.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [ zlib ];
  tool = "${ninja}/bin/ninja";
  both =
    let
      caller = pkgs;
    in
    let
      pkgs = extended;
    in
    ([ caller.hello pkgs.hello ]);
})
