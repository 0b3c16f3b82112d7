# plain: plain
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-RAmD8ecLe4g7gSt6oAfz9Ux0K9On/17mkMDtQkRnOc8=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  pname = "hello-plain";
  kind = "plain";
})
