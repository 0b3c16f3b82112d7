# plain-sm100: Blackwell (B200, GB200)
# Made by tvarc from input.tvar: matrix plain, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-evopq+p3M4TRB0c55xOxKzdequWpjGBdMLD0PwkhSs4=
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
      USE_CUDNN = "1";
      BLAS = "openblas";
    };
})
