# hello-armv8_2: ARMv8.2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-CIy8E2wuNZGBKn+35vAtOl2dAXXWcE2hn028m7qj7ek=
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
      CFLAGS = "-march=armv8.2-a+fp16+dotprod";
    };
  meta = (old.meta or { }) // {
    description = "Hello for ARMv8.2 (NVIDIA Grace, Graviton3+)";
    longDescription = ''
      Hello for ARMv8.2, ${old.version or ""}.
      It does not run on Ampere Altra if it is for ARMv9.
    '';
  };
})
