# sm90-armv9: Hopper (H100, H200, GH200), ARMv9
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-hwauQgKJpRazTDV+gDZP6DXzwXFWdiIx+UEVzSxOx4A=
{ hello }:

hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm90";
    ISA = "armv9";
  };
})
