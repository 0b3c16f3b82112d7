# set-anew
# Made by tvarc from input.tvar: matrix set-anew, recipe anew.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-gOkJ/3TVlLXNSMhwBiTxMMdsH89t8WMp1KT/ix9P53c=
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
