# sm110a-avx2: sm110a, AVX2
# Made by tvarc from input.tvar: matrix suffixes, recipe suffixed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-llL1fSuu/0l+/i4qFIZNJhWI86dH+xDgLPgvburnnCg=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm110a";
    ISA = "avx2";
  };
})
