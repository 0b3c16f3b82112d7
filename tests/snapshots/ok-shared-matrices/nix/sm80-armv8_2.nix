# sm80-armv8_2: Ampere (A100, A30), ARMv8.2
# Made by tvarc from input.tvar: matrix builds, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-cXDGJLGlKXMT+KYDyH2RNQt0J9vl3bqTT6NUa6gRoM8=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  gpu = "Ampere (A100, A30)";
  isa = "-march=armv8.2-a+fp16+dotprod";
  layer = "program";
  doCheck = false;
  flags = [
    "-shared"
    "-mine"
  ];
  team = "sm80 with armv8_2";
  preConfigure = toString (old.preConfigure or "") + "echo sm80 with armv8_2, twice";
})
