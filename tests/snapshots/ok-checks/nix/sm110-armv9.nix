# sm110-armv9: Blackwell (Jetson Thor, DRIVE Thor), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-gzI0IKM1MObJJz75/di75CshqGXykwQ18lAQZTE0p+A=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13; })
  ];
in
extended.hello
