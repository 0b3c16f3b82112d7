# sm110a-avx2: sm110a, AVX2
# Made by tvarc from input.tvar: matrix suffixes, recipe suffixed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-2NROlQcwuemEeVSHl8U3Kf+gA6zIK/N8q8hOa0txeQQ=
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
      GPU = "sm110a";
      ISA = "avx2";
    };
})
