# row-avx2: AVX2
# Made by tvarc from input.tvar: matrix of-rows, recipe bare.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-O8h8OwE2nwmkfxR9Ly2wyfkX3xhmVBr486K0acrKKsY=
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
      ISA = "avx2";
    };
  meta = (old.meta or { }) // {
    platforms = [ "aarch64-linux" ];
  };
})
