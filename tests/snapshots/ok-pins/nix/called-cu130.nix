# called-cu130: cu130
# Made by tvarc from input.tvar: matrix called, recipe free.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-5I0SkA97AneNkq2w8e00KUTv4r1J+e/GIfip+JXlDEE=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # toolkit
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];
in
extended.magma
