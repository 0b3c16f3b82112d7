# host-avx2: AVX2
# Made by tvarc from input.tvar: matrix hosts, recipe host.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-K2pd6wTTQRsXBRuLYWG0HHcG44mFXjakj9rjBqZraV8=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [ "-DISA=avx2" ];
  jobs = 2;
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
      NIX_CFLAGS_COMPILE = "-mavx2 -mfma -mf16c";
      MAX_JOBS = "16";
    };
})
