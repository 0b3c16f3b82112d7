# v-calls
# Made by tvarc from input.tvar: matrix v-calls, recipe calls.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ZEK+idxGUyEwIZilZh2vrs3SUAu/re5wDVDoLX4A/hs=
{
  hello,
  pkgs,
  zlib,
}:

let
  needs = {
    grpc = pkgs.python313Packages.callPackage ./called-py313.nix { };
  };
in
assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  GRPC = needs.grpc;
  LIBRARY = zlib;
})
