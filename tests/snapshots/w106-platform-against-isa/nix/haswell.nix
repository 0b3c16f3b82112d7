# haswell
# Made by tvarc from input.tvar: matrix haswell, recipe named.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-kjmqhSd2xmHTns4ijoXbql19brJKHgHs2+jYXuGB9II=
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
      NIX_CFLAGS_COMPILE = "-march=haswell";
    };
  meta = (old.meta or { }) // {
    platforms = [
      "aarch64-linux"
      "aarch64-darwin"
      "riscv64-linux"
    ];
  };
})
