# hello-sm80: Ampere (A100, A30)
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-3UXWL+AKJK8Nlr5iPd1VNRCb+YloaH5bQfamWt3Z2Oo=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  jobs = 16;
  name = "none";
  arch = "Ampere";
})
