# less-a-plain: a, plain
# Made by tvarc from input.tvar: matrix less, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-KuvapEP9dIZ34rdMjOM3F3384nwZoYLK0uNAePXAY5k=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  gpu = "a";
  flag = "";
  less = true;
})
