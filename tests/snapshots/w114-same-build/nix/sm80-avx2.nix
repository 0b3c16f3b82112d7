# sm80-avx2: sm80, avx2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-nHHC92jndt2Ekg1Cq4hfEfUnKhOuZ82p6BwHxFFmqvs=
{ hello }:

hello.overrideAttrs (old: {
  pname = "hello-sm80-avx2";
  env = (old.env or { }) // {
    GPU = "sm80";
  };
  passthru = (old.passthru or { }) // {
    isa = "avx2";
  };
  meta = (old.meta or { }) // {
    description = "Hello for avx2";
  };
})
