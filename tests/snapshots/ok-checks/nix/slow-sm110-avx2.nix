# slow-sm110-avx2: AVX2, Blackwell (Jetson Thor, DRIVE Thor)
# Made by tvarc from input.tvar: matrix slow, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-OG2fYe9/CG/Do5RH8H/DDI/OSB1D/pg+1JpFXA8C78w=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];
in
extended.hello
