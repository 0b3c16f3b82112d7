# row-armv9: ARMv9
# Made by tvarc from input.tvar: matrix of-rows, recipe bare.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-E+Dou/qkpQ0MLFEkfaD0DynL/IbVjpF1ewkY9ZliqF4=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  env =
    assert
      !(
        (stdenv.mkDerivation {
          name = "probe";
          env = { };
        }).drvAttrs ? env
      )
      || throw "`env` is known to nixpkgs from 23.05 on; call this recipe with a later one, or pin one";
    (old.env or { })
    // {
      ISA = "armv9";
    };
  meta = (old.meta or { }) // {
    platforms = [ "aarch64-linux" ];
  };
})
