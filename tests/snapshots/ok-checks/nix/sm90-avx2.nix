# sm90-avx2: Hopper (H100, H200, GH200), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-mPEs1+VzVbbN9F9Tqk++sf9PZi1i3+pEg9sEpXnsVCE=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];
in
extended.hello
