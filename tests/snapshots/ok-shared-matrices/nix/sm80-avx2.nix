# sm80-avx2: Ampere (A100, A30), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-7rrUH9ePPCmoeAxPFk/TUOrYq6JRCmSSKvKgy2Gq7r8=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  gpu = "Ampere (A100, A30)";
  isa = "-mavx2 -mfma -mf16c";
  layer = "program";
  doCheck = false;
  flags = [
    "-shared"
    "-mine"
  ];
  team = "sm80 with avx2";
  preConfigure = toString (old.preConfigure or "") + "echo sm80 with avx2, twice";
})
