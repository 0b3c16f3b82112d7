# sm121-armv9: Blackwell (GB10, DGX Spark), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-3aCCQdIXO4L78OxJ9qxwED7lS81CVY3EDvrBM8QPf6w=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm121";
    ISA = "armv9";
  };
})
