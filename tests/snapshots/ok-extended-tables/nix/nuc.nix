# nuc: nuc
# Made by tvarc from input.tvar: matrix builds, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Da/YylxEJmwxM8rbKjEi933Y+HW87p4rUr1R9U6J7Rk=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  cores = 8;
  note = null;
  watts = "28.0";
  fans = 1;
  arch = "x86_64";
})
