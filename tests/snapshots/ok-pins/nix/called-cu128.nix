# called-cu128: cu128
# Made by tvarc from input.tvar: matrix called, recipe free.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-/YiQ8R1cmNKlBV2Xu4ReimK5ukjnLndL7PU1ehag8Nw=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # toolkit
    (final: prev: { cudaPackages = final.cudaPackages_12_8; })
  ];
in
extended.magma
