# every-small: small
# Made by tvarc from input.tvar: matrix every, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-yrCh7lfpU/zCRRDdXSkDfkksb8M8eUPiU/cOOVYAyJM=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  board = "small";
  matrix = "every";
})
