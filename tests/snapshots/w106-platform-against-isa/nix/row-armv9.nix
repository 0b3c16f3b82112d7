# row-armv9: ARMv9
# Made by tvarc from input.tvar: matrix of-rows, recipe bare.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-IJ/cBZzv+pdunsbn028TOsHwz2T3GxT1E8Kvup57cYw=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    ISA = "armv9";
  };
  meta = (old.meta or { }) // {
    platforms = [ "aarch64-linux" ];
  };
})
