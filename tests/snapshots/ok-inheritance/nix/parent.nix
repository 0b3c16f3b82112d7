# parent
# Made by tvarc from input.tvar: matrix parent, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-8rXPbrFtPgFjWGgWnu1p2yp2GwUpdXAdxImIFvsNIxk=
{
  hello,
  lib,
  openblas,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  MAX_JOBS = 8;
  pname = "base";
  # ours alone
  cmakeFlags = [
    "-DA=1"
    "-DB=2"
  ];
  buildInputs =
    builtins.filter (p: builtins.match "cuda.*" (p.pname or "") == null) (old.buildInputs or [ ])
    ++ [ openblas ];
  patches = builtins.filter (x: !builtins.elem x [ (./old.patch) ]) (
    lib.remove null (lib.toList (old.patches or [ ]))
  );
  doCheck = true;
  strip = false;
})
