# n100: n100
# Made by tvarc from input.tvar: matrix builds, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-eD9h4dHNR1awoPUGX9UXXjzjSR5OBVkTsVVhHLjmw/k=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  cores = 16;
  note = null;
  watts = "6.0";
  fans = 0;
  arch = "x86_64";
})
