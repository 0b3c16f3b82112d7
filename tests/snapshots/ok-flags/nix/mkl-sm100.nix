# mkl-sm100: Blackwell (B200, GB200)
# Made by tvarc from input.tvar: matrix mkl, recipe with-mkl.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-yxHbXk6UPUlpMtXAOiUkKBNAaRVMP+v4fHiERz0D8mA=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    USE_CUDNN = "1";
    BLAS = "mkl";
  };
})
