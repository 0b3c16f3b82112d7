# sm110-armv8_2: Blackwell (Jetson Thor, DRIVE Thor), ARMv8.2
# Made by tvarc from input.tvar: matrix builds, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-OKTsiX8J0x+nS0tirKK6YrVNZrbVma7MI40ynqO5p48=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  gpu = "Blackwell (Jetson Thor, DRIVE Thor)";
  isa = "-march=armv8.2-a+fp16+dotprod";
  layer = "program";
  doCheck = false;
  flags = [
    "-shared"
    "-mine"
  ];
  team = "sm110 with armv8_2";
  preConfigure = toString (old.preConfigure or "") + "echo sm110 with armv8_2, twice";
})
