# called-cu130: cu130
# Made by tvarc from input.tvar: matrix called, recipe free.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-B8qEwxW2s8xI/CLupQs/lFKVVqzBvdSMPp/lDIJWACg=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # toolkit
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];

  scope = extended.callPackage (names@{ magma }: names) { };
in
scope.magma
