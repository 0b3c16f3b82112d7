# b-plain: b, plain
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-pZjD+eyTqCQGxrEr1szg3LAwVAyz33JW8T2iVyZqPME=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  gpu = "b";
  flag = "";
})
