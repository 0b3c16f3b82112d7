# called
# Made by tvarc from input.tvar: matrix called, recipe anywhere.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-tJPXdKq79WP4ESARmsii/MGRTY/TfVm9YNxF5voBakY=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: { NIX_CFLAGS_COMPILE = "-O3"; })
