# sm110-armv9: Blackwell (Jetson Thor, DRIVE Thor), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-a4Dms30JtuyxMUDi0dw07gMr49L7Zx7QBzhLv7Hpoio=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # cuda-13_0
    (final: prev: { cudaPackages = final.cudaPackages_13_0; })
  ];
in
extended.hello
