# set-anew
# Made by tvarc from input.tvar: matrix set-anew, recipe anew.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-USHXaf4LUjbKLEUppzQj6FXnj332ed70V5R6ymaoiGk=
{
  hello,
  lib,
  openblas,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  MAX_JOBS = 8;
  pname = "base";
  cmakeFlags = [ "-DONLY=1" ];
  buildInputs =
    builtins.filter (p: builtins.match "cuda.*" (p.pname or "") == null) (old.buildInputs or [ ])
    ++ [ openblas ];
  patches = builtins.filter (x: !builtins.elem x [ (./old.patch) ]) (
    lib.remove null (lib.toList (old.patches or [ ]))
  );
  doCheck = true;
  strip = false;
})
