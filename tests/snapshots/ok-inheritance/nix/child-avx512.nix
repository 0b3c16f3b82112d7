# child-avx512: avx512
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-DMJrp3cSaGg+qr2RZYnTdRj6RtNcDPDcRIZA82wn4UA=
{ hello, openblas }:

hello.overrideAttrs (old: {
  MAX_JOBS = 32;
  pname = "child";
  cmakeFlags = [
    "-DA=1"
    # the child needs it
    "-DC=3"
    "-DAVX512=ON"
  ];
  buildInputs =
    builtins.filter (p: builtins.match "cuda.*" (p.pname or "") == null) (old.buildInputs or [ ])
    ++ [ openblas ];
  patches = builtins.filter (x: !builtins.elem x [ (./old.patch) ]) (old.patches or [ ]);
  doCheck = false;
  strip = false;
})
