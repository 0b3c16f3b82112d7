# levels-2: 2
# Made by tvarc from input.tvar: matrix levels, recipe plain.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ad7iiya7kr6uOl4AWKAR35XRrtfsFhbDZSvRKDH5YYA=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: { level = 3; })
