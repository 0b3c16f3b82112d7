# sm80-xeon: A100, xeon
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-+sfgoTU9Tyetq+s9bbcmkmgetv7lvIsSPIE6BtxzmHo=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  capability = "8.0";
  label = "A100";
  flags = [
    "-a"
    "-b"
  ];
  price = 10000;
  old = true;
})
