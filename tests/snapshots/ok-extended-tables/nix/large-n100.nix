# large-n100: n100
# Made by tvarc from input.tvar: matrix larger, recipe other.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-hZLTVAFNt+/tFTro8LOPNlU5zqiL3BnsQlvJoHmTYhk=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: { watts = "6.0"; })
