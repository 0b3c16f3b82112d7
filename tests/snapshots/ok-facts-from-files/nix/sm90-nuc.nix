# sm90-nuc: H100, nuc
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-dL7inT8M1lPUTXlaKhY17rKHYN+UzNCVSfK9foSRfDI=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  capability = "9.0";
  label = "H100";
  flags = [ ];
  price = 25000;
  firmware = "3.0";
})
