# sm90-avx512: sm90, avx512
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-hxR7WXYox14Fil2SF+Rz4YCGuVWEDiYfG0aqHbGEM+M=
{ hello }:

hello.overrideAttrs (old: {
  pname = "hello-sm90-avx512";
  env = (old.env or { }) // {
    GPU = "sm90";
  };
  passthru = (old.passthru or { }) // {
    isa = "avx512";
  };
  meta = (old.meta or { }) // {
    description = "Hello for avx512";
  };
})
