# sm90-avx2: sm90, avx2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-SWGgSdOt+X6nPROyPN3dSpyX6Z57/z0aBGaClK4/IQc=
{ hello }:

hello.overrideAttrs (old: {
  pname = "hello-sm90-avx2";
  env = (old.env or { }) // {
    GPU = "sm90";
  };
  passthru = (old.passthru or { }) // {
    isa = "avx2";
  };
  meta = (old.meta or { }) // {
    description = "Hello for avx2";
  };
})
