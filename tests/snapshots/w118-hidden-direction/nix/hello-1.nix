# hello-1
# Made by tvarc from input.tvar: matrix hello-1, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-FiVNQao+E5TvTh30/A3Mkc/zg9KFS6NgC0/cjKythDg=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  shown = "a⁦b⁩";
  meant = "a⁦b⁩";
})
