# child-avx2: avx2
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-l9uUmZJzKcFPns5p2Wt/eff2BQ6Q5J14nF2VlKx3z9Q=
{ hello, openblas }:

hello.overrideAttrs (old: {
  MAX_JOBS = 32;
  pname = "child";
  cmakeFlags = [
    "-DA=1"
    # the child needs it
    "-DC=3"
  ];
  buildInputs =
    builtins.filter (p: builtins.match "cuda.*" (p.pname or "") == null) (old.buildInputs or [ ])
    ++ [ openblas ];
  patches = builtins.filter (x: !builtins.elem x [ (./old.patch) ]) (old.patches or [ ]);
  doCheck = true;
  strip = false;
})
