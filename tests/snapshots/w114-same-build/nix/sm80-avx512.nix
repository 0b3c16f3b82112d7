# sm80-avx512: sm80, avx512
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-f6HhxOpYk4ZAalWGxfagT9SNsRlAdSe1QVd1Jk1W8Y0=
{ hello }:

hello.overrideAttrs (old: {
  pname = "hello-sm80-avx512";
  env = (old.env or { }) // {
    GPU = "sm80";
  };
  passthru = (old.passthru or { }) // {
    isa = "avx512";
  };
  meta = (old.meta or { }) // {
    description = "Hello for avx512";
  };
})
