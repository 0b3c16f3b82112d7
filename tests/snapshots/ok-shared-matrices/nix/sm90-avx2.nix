# sm90-avx2: Hopper (H100, H200, GH200), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-p3B9TX8smpdfVgOUmycwuylcVg2BrCHZfhA2eCB7AxY=
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
  preConfigure = toString (old.preConfigure or "") + "echo sm90 with avx2, twice";
})
