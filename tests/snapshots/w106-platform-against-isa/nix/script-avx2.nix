# script-avx2: AVX2
# Made by tvarc from input.tvar: matrix of-scripts, recipe scripted.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-MKinuDDsfEiLTVa3tk0uJYjPKzAZ3SHbwUOUoZofqTw=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  preConfigure = toString (old.preConfigure or "") + ''
    export CXXFLAGS="-mavx2 -mfma -mf16c -O2 $CXXFLAGS"
  '';
  meta = (old.meta or { }) // {
    platforms = [ "x86_64-linux" ];
  };
})
