# hello-sm90: Hopper (H100, H200, GH200)
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-NYTrsQF0GnhbrxiZJIHcI4GuOJCvKQ9YMX18UXr/Fo4=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  jobs = 4;
  name = "Hopper";
  arch = "Hopper";
})
