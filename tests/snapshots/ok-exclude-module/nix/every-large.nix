# every-large: large
# Made by tvarc from input.tvar: matrix every, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-EdZVoQRz9RipBHlyC5WJDis1SMc3EN8dF1r//3WQEjE=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  board = "large";
  matrix = "every";
})
