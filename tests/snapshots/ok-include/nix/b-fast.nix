# b-fast: b, fast
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-9DqOSip3aPA/fIPnkUYe/7gLppkP265+t/aRuBvqu0Q=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  gpu = "b";
  flag = "-f";
})
