# c-faster: c, faster
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-mleuckj7YlUKbngehFOT6T812cBmZY6R+Z3gK2QmcKM=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  gpu = "c";
  flag = "-ff";
})
