# hello
# Made by tvarc from input.tvar: matrix hello, recipe plain.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Cvqd6o6JCWcUoG1PQE1i7raaQiIgXrc1LMdnRgodUAM=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: { flags = [ "-O2" ]; })
