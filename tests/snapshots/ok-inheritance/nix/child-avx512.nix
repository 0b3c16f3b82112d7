# child-avx512: avx512
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-SOm2PQQ0tq2+H6Wa1rhmyS4qCYsKPMbARwCw0h+uAs4=
{
  hello,
  lib,
  openblas,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  MAX_JOBS = 32;
  pname = "child";
  # ours alone
  cmakeFlags = [
    "-DA=1"
    # the child needs it
    "-DC=3"
    "-DAVX512=ON"
  ];
  buildInputs =
    builtins.filter (p: builtins.match "cuda.*" (p.pname or "") == null) (old.buildInputs or [ ])
    ++ [ openblas ];
  patches = builtins.filter (x: !builtins.elem x [ (./old.patch) ]) (
    lib.remove null (lib.toList (old.patches or [ ]))
  );
  doCheck = false;
  strip = false;
})
