# kept-1: 1
# Made by tvarc from input.tvar: matrix kept, recipe plain.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-MgQ1lp6MmKT31/0FVLqunmWBrlp6twd/gu7PB4uyR9k=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  level = 1;
  kept = true;
})
