# hello-cu129: cu129
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-/10BRCg0ufWnuEmB0dJsek5vUpAOv0AsRVnjn/Ma8zU=
{ hello }:

hello.overrideAttrs (old: {
  passthru = (old.passthru or { }) // {
    toolkit = "cu129";
    driver = "575.51.03";
    note = null;
    first = [ ];
  };
  meta = (old.meta or { }) // {
    description = "Hello with CUDA 12.9 (old)";
  };
})
