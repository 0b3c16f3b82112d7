# sm110-avx2: Blackwell (Jetson Thor, DRIVE Thor), AVX2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-gQ5aw1b7rtgIr/lZDRf8jaQ29qTxAA7E5dWcJf52FKg=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm110";
    ISA = "avx2";
  };
})
