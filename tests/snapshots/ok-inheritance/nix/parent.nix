# parent
# Made by tvarc from input.tvar: matrix parent, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ga76z14QfIRKoGmNqJgWaZ3baQb31QnsEHGT2JAvmXs=
{ hello, openblas }:

hello.overrideAttrs (old: {
  MAX_JOBS = 8;
  pname = "base";
  cmakeFlags = [
    "-DA=1"
    "-DB=2"
  ];
  buildInputs =
    builtins.filter (p: builtins.match "cuda.*" (p.pname or "") == null) (old.buildInputs or [ ])
    ++ [ openblas ];
  patches = builtins.filter (x: !builtins.elem x [ (./old.patch) ]) (old.patches or [ ]);
  doCheck = true;
  strip = false;
})
