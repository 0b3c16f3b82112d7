# hello-cu129: cu129
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-w6/cYK4l/uDgOeWEPkx7a86NQ6oy568k0faZ5106ekg=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
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
