# sm110-avx2: Blackwell (Jetson Thor, DRIVE Thor), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-kxiCpxlLufVRmeYB25pmga7PQ3tvlVfHL2YYOrCr7y8=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13; })
  ];
in
extended.hello
