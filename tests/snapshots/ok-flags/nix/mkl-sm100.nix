# mkl-sm100: Blackwell (B200, GB200)
# Made by tvarc from input.tvar: matrix mkl, recipe with-mkl.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-YDqSron8O2DWPbpkFYn2cUOvMjcRtqcVD0SCaXwA6YE=
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
      BLAS = "mkl";
    };
})
