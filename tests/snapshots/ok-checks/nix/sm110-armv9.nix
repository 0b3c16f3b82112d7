# sm110-armv9: Blackwell (Jetson Thor, DRIVE Thor), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-gEhT2vFo/b86LqRgBVnDZQpU8IdYafJc4dgWZ0prwaw=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];

  scope = extended.callPackage (names@{ hello }: names) { };
in
scope.hello
