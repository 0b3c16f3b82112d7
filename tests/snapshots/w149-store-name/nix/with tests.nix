# with tests: with tests
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-UOQyQsTd31Omc41iAtrXgehkFelmJ76LEYXXOKx6NNE=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  pname = "hello-with tests";
  kind = "with tests";
})
