# script-armv9: ARMv9
# Made by tvarc from input.tvar: matrix of-scripts, recipe scripted.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-KyJp13pYPA9meZm8vR8NHktxvrI2/YLaM5yLQz4Net0=
{ hello }:

hello.overrideAttrs (old: {
  preConfigure = (old.preConfigure or "") + ''
    export CXXFLAGS="-march=armv9-a+sve2+bf16+i8mm -O2 $CXXFLAGS"
  '';
  meta = (old.meta or { }) // {
    platforms = [ "x86_64-linux" ];
  };
})
