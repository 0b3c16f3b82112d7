# sm107-armv9: Rubin (VR200), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-xjfEY81DctmPE7kkuGJcdytUv89ylLOqkN6jh6R53xw=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm107";
    ISA = "armv9";
  };
})
