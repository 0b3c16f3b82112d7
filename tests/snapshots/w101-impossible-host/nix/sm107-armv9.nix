# sm107-armv9: Rubin (VR200, DGX Rubin), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-nxTwaV/YP9pQ7jxFjjIq/OYZu39eVaxfiHIYFs6yPeE=
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
      GPU = "sm107";
      ISA = "armv9";
    };
})
