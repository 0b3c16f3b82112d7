# plain-sm80: Ampere (A100, A30)
# Made by tvarc from input.tvar: matrix plain, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-2jf45xqhv2S8U9k8p5jdXjNGmKzc+3Y70PFg3Fpm82M=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    USE_CUDNN = "0";
    BLAS = "openblas";
  };
})
