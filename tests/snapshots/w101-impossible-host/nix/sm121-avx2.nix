# sm121-avx2: Blackwell (GB10, DGX Spark), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-QCR8XTOkPSimJTFTJF1T3xH6vQ54uWG7n7m1ktkv5Sw=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm121";
    ISA = "avx2";
  };
})
