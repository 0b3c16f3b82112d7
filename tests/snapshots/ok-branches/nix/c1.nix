# c1: 1
# Made by tvarc from input.tvar: matrix callers, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-YFGN91vhopKGnxJVjfI8N8Pt4hTZyWUzh4G53BHML2Y=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  doCheck = true;
  preConfigure = toString (old.preConfigure or "") + "echo 1";
})
