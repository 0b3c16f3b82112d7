# hello-sm90: Hopper (H100, H200, GH200)
# Made by tvarc from input.tvar: matrix of-platforms, recipe platforms.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-YIV+A54D28W+y5tKkpw+tWlAvT3S00Gcbrbe/6ii7mY=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm90";
  };
  meta = (old.meta or { }) // {
    platforms = [ "x86_64-linux" ];
  };
})
