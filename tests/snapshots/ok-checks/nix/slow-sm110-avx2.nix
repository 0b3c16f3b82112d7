# slow-sm110-avx2: AVX2, Blackwell (Jetson Thor, DRIVE Thor)
# Made by tvarc from input.tvar: matrix slow, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-sP1RRChgqhr/iPi4KCH0ZaNF+gSaD3Y624W56a1Sce4=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13; })
  ];
in
extended.hello
