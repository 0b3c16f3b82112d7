# less-b-plain: b, plain
# Made by tvarc from input.tvar: matrix less, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-RD64iZ0Bkq5MtdrVKF10EUYuyCmpcbNBame8wyl0nJc=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  gpu = "b";
  flag = "";
  less = true;
})
