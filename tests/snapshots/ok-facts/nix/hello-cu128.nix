# hello-cu128: cu128
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ueNZKu6M7uxKXowG5qPHRlxebXFVV0zG7AEesPDGEds=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  passthru = (old.passthru or { }) // {
    toolkit = "cu128";
    driver = "570.26";
    note = "the last with Maxwell";
    first = [
      "5.0"
      "7.5"
    ];
  };
  meta = (old.meta or { }) // {
    description = "Hello with CUDA 12.8 (old)";
  };
})
