# haswell
# Made by tvarc from input.tvar: matrix haswell, recipe named.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-QgUT+4sbLsU0tWllJ7VV+j/dYT/8IeOLImyX8vM0CNw=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    NIX_CFLAGS_COMPILE = "-march=haswell";
  };
  meta = (old.meta or { }) // {
    platforms = [
      "aarch64-linux"
      "aarch64-darwin"
      "riscv64-linux"
    ];
  };
})
