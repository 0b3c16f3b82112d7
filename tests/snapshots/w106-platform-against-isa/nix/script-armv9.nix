# script-armv9: ARMv9
# Made by tvarc from input.tvar: matrix of-scripts, recipe scripted.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ccbOKcMnFH/MulgtBGISeRZ3SuQ8vpNlyQGMBDzTwjU=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  preConfigure = toString (old.preConfigure or "") + ''
    export CXXFLAGS="-march=armv9-a+sve2+bf16+i8mm -O2 $CXXFLAGS"
  '';
  meta = (old.meta or { }) // {
    platforms = [ "x86_64-linux" ];
  };
})
