# sm107-avx2: Rubin (VR200), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-deteVwiuaOD29Wm/m8F29oO1FqPRA+bd52bYToEzP1M=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm107";
    ISA = "avx2";
  };
})
