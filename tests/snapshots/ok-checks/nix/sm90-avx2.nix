# sm90-avx2: Hopper (H100, H200, GH200), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-DCo/WwrbpNbgRSpImCmCN27ErZFPeRc0z5pwW5nkrCo=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];

  scope = extended.callPackage (names@{ hello }: names) { };
in
scope.hello
