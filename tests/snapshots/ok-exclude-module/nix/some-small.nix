# some-small: small
# Made by tvarc from input.tvar: matrix some, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-LXZK1QmAzGUtWS8nz32p1DIGe3/fvpRT0lBv3f8FmzY=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  board = "small";
  matrix = "some";
})
