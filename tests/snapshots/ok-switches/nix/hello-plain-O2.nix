# hello-plain-O2: lto = false, 2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-+NLrKn6Rrl4qdFA+rHUZJj3QebZtcN7Q3xRh1om1f3o=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  level = 2;
  lto = false;
})
