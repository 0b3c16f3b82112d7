# forced-sm80: Ampere (A100, A30)
# Made by tvarc from input.tvar: matrix forced, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Ws5XpUtNHGqUFd3QJTTqfdUpwiA9pkyo2br/utzaXXI=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    USE_CUDNN = "1";
    BLAS = "openblas";
  };
})
