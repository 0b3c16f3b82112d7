# sm90-avx2-cuda13_0: Hopper (H100, H200, GH200), AVX2, 13.0
# Made by tvarc from input.tvar: matrix wider, recipe slim.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-wPTNtVUA2VsoLY5tGWkrL2tK1oMqsdU3k61DymIOHO0=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  gpu = "Hopper (H100, H200, GH200)";
  isa = "-mavx2 -mfma -mf16c";
  layer = "program";
  doCheck = false;
  flags = [
    "-shared"
    "-mine"
  ];
  team = "sm90 with avx2";
  cuda = "13.0";
  lineage = "shared";
  wider = true;
  preConfigure = toString (old.preConfigure or "") + "echo sm90 with avx2, twice";
})
