# sm121-armv9: Blackwell (GB10, DGX Spark), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-tPKTJLPKlQGZflgmPiJBjpaxV2xEUPat/blHht5YJO0=
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
      GPU = "sm121";
      ISA = "armv9";
    };
})
