# a-plain: a, plain
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-f2JdJ25Oz3BHddy2yq4F5mi8KBXaf89aQrl5Y2/5SdQ=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  gpu = "a";
  flag = "";
})
