# hello-sm110: Blackwell (Jetson Thor, DRIVE Thor)
# Made by tvarc from input.tvar: matrix of-platforms, recipe platforms.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-RCC02lwfJgCssRjuhxyqpCOfP/SW1k9UGQWm3LwJhUk=
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
      GPU = "sm110";
    };
  meta = (old.meta or { }) // {
    platforms = [ "x86_64-linux" ];
  };
})
