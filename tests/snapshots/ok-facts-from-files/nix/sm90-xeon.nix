# sm90-xeon: H100, xeon
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-3coXKBDZvdJD/t3XxLgFz8y7IOG46d4hYEjqXTxc/B4=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  capability = "9.0";
  label = "H100";
  flags = [ ];
  price = 25000;
})
