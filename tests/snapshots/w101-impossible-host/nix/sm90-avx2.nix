# sm90-avx2: Hopper (H100, H200, GH200), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-mJSiW8kBI51et0i5G632O+RZxhEDRS4k3J7MOFgRmXs=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm90";
    ISA = "avx2";
  };
})
