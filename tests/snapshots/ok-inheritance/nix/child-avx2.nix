# child-avx2: avx2
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-vk/1GVKq3/Uok88ehAfJ+iRuisjoPNibVYGrzf6HGik=
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
