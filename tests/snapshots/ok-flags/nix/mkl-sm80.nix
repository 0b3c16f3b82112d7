# mkl-sm80: Ampere (A100, A30)
# Made by tvarc from input.tvar: matrix mkl, recipe with-mkl.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-tdZP8QiVWyedgEHfA2oL9Q5N7tqs9h4XhmuSZNjkYao=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    USE_CUDNN = "0";
    BLAS = "mkl";
  };
  meta = (old.meta or { }) // {
    description = "MKL without cuDNN";
  };
})
