# c2: 2
# Made by tvarc from input.tvar: matrix callers, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-QM7PkieLX4Sc2qj4A7B7nthdQRiBB8gwU1q4HGrGjU8=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  doCheck = false;
  preConfigure = toString (old.preConfigure or "") + "echo 2";
})
