# sm110a-armv9: sm110a, ARMv9
# Made by tvarc from input.tvar: matrix suffixes, recipe suffixed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-of/xAYAs99+pN3DLvR6LGzK8wEKyBNj03OCm/VS6Q9M=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm110a";
    ISA = "armv9";
  };
})
