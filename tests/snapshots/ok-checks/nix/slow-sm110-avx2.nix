# slow-sm110-avx2: AVX2, Blackwell (Jetson Thor, DRIVE Thor)
# Made by tvarc from input.tvar: matrix slow, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-xeG/XZ1gZItniOMBrCWZ9xEFreTs39tr/3SQps8nYvg=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];

  scope = extended.callPackage (names@{ hello }: names) { };
in
scope.hello
