# plain-sm100: Blackwell (B200, GB200)
# Made by tvarc from input.tvar: matrix plain, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Vjkpr7t5IP6Snl669MKbv8roeiht0GdJMyL8qQ3gdJc=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    USE_CUDNN = "1";
    BLAS = "openblas";
  };
})
