# called-cu128: cu128
# Made by tvarc from input.tvar: matrix called, recipe free.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-cEUQ+t38t9AMwaBmfyFcB+Q2dKxa5vjA2OP8k7kDDRg=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # toolkit
    (final: prev: { cudaPackages = final.cudaPackages_12_8; })
  ];

  scope = extended.callPackage (names@{ magma }: names) { };
in
scope.magma
