# hello-cu130: cu130
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-LUL4fKW56sq8BiAtur2H8K0uhjxeN8Di43df6saOFCU=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  passthru = (old.passthru or { }) // {
    toolkit = "cu130";
    driver = "580.65.06";
    note = null;
    first = [ "7.5" ];
  };
  meta = (old.meta or { }) // {
    description = "Hello with CUDA 13.0 (new)";
  };
})
