# again-sm90: avx2, sm90
# Made by tvarc from input.tvar: matrix again, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-GcYvnvamKJXKgfovhVH9rrrHr1t5nQLQAycTB4CLI/g=
{ hello, stdenv }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  pname = "hello-again-sm90";
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
      GPU = "sm90";
    };
  passthru = (old.passthru or { }) // {
    isa = "avx2";
  };
  meta = (old.meta or { }) // {
    description = "Hello for avx2";
  };
})
