# sm90-armv8_2: Hopper (H100, H200, GH200), ARMv8.2
# Made by tvarc from input.tvar: matrix builds, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Fr/9Og9ScSmPliD07lRN5FVZCAeoix0LKnvFZXZViTs=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  gpu = "Hopper (H100, H200, GH200)";
  isa = "-march=armv8.2-a+fp16+dotprod";
  layer = "program";
  doCheck = false;
  flags = [
    "-shared"
    "-mine"
  ];
  team = "sm90 with armv8_2";
  preConfigure = toString (old.preConfigure or "") + "echo sm90 with armv8_2, twice";
})
