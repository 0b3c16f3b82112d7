# hello-armv9: ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-8db0PWKD68/USUChb7arrH4/B67ngweLSe/LIJ1vZOo=
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
      CFLAGS = "-march=armv9-a+sve2+bf16+i8mm";
    };
  meta = (old.meta or { }) // {
    description = "Hello for ARMv9 (NVIDIA Grace, Graviton3+)";
    longDescription = ''
      Hello for ARMv9, ${old.version or ""}.
      It does not run on Ampere Altra if it is for ARMv9.
    '';
  };
})
