# sm110-armv9: Blackwell (Jetson Thor, DRIVE Thor), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-M2Nr+QLDTpHUQZ+wdb6m6p5GgfuKnmQbqTfLz65egrE=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm110";
    ISA = "armv9";
  };
})
