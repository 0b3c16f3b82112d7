# row-avx2: AVX2
# Made by tvarc from input.tvar: matrix of-rows, recipe bare.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-uxB8ub+9iSA5wC2Bu5th/VL0aNJP4PGCi8dhA/Yj4a4=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    ISA = "avx2";
  };
  meta = (old.meta or { }) // {
    platforms = [ "aarch64-linux" ];
  };
})
