# again-sm90: avx2, sm90
# Made by tvarc from input.tvar: matrix again, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-IO6I6v0/2s3ZJXwalDOIhKIcY376JinGiuC2eupefZ0=
{ hello }:

hello.overrideAttrs (old: {
  pname = "hello-again-sm90";
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
