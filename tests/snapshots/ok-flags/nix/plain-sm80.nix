# plain-sm80: Ampere (A100, A30)
# Made by tvarc from input.tvar: matrix plain, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-pnyHCjW0juuXw0SdE0UYxapSNcLPyR8fQR4gGRdSVtA=
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
      USE_CUDNN = "0";
      BLAS = "openblas";
    };
})
