# hello-cu130: cu130
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-jquyDk2/bsIo+y9tEyVA3MJ3EO8Bpb5LB47+xVjCQP8=
{ hello }:

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
