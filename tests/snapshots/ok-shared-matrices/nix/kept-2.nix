# kept-2: 2
# Made by tvarc from input.tvar: matrix kept, recipe plain.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Klcgx4GvXeaKYSPhZfCubXHGDs+d1HruZT2qdd3P90k=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  level = 2;
  kept = true;
})
