# sm80-avx512: sm80, avx512
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-4GDulT02PEEzKo+z03ewgQSwaxQ0naQWRK5XNNytMaU=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  pname = "hello-sm80-avx512";
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
      GPU = "sm80";
    };
  passthru = (old.passthru or { }) // {
    isa = "avx512";
  };
  meta = (old.meta or { }) // {
    description = "Hello for avx512";
  };
})
