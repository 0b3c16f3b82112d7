# sm80-nuc: A100, nuc
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-1Ji0ergTn0zTn0tKuqoRXiSUrfQWBy2x2cB4fU08Azk=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  capability = "8.0";
  label = "A100";
  flags = [
    "-a"
    "-b"
  ];
  price = 10000;
  old = true;
  firmware = "3.0";
})
