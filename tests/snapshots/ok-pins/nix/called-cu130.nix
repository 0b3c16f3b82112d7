# called-cu130: cu130
# Made by tvarc from input.tvar: matrix called, recipe free.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Q4/3AxlBxcI7Md6sprMQw34HgckchLiMt6XlW4hPzro=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # toolkit
    (final: prev: { cudaPackages = final.cudaPackages_13; })
  ];
in
extended.magma
