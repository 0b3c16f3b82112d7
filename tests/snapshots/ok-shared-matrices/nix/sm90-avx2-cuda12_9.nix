# sm90-avx2-cuda12_9: Hopper (H100, H200, GH200), AVX2, 12.9
# Made by tvarc from input.tvar: matrix wider, recipe slim.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-oaQqVQ3B8UJjfex8Uc0iug7l5zfxxDGXJHmfjZjpIsQ=
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
  cuda = "12.9";
  lineage = "shared";
  wider = true;
  preConfigure = toString (old.preConfigure or "") + "echo sm90 with avx2, twice";
})
