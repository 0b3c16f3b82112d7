# hello-sm110: Blackwell (Jetson Thor, DRIVE Thor)
# Made by tvarc from input.tvar: matrix of-platforms, recipe platforms.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-xSUayT88MSbJCSgIVSJQmUSUq5vYXAEyZNPM3h3D1kE=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm110";
  };
  meta = (old.meta or { }) // {
    platforms = [ "x86_64-linux" ];
  };
})
