# sm110-avx2: Blackwell (Jetson Thor, DRIVE Thor), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-rzwkj/p+SKCYd3Ca/LD3LyALcPdjN1DAzvqkNjjef8U=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];

  scope = extended.callPackage (names@{ hello }: names) { };
in
scope.hello
