# arm: py313, avx2
# Made by tvarc from input.tvar: matrix arm, recipe mixed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-v4BKEiFi9u0x3nM9NIObQiYv6VXeUUFRHvlLmpOZr2s=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = ./nixpkgs;

  pinned = import nixpkgs {
    localSystem = {
      system = "x86_64-linux";
    };
    crossSystem = {
      config = "aarch64-unknown-linux-gnu";
    };
    config = { };
    overlays = [ ];
  };

  scope =
    pinned.callPackage
      (
        names@{
          hello,
          python313Packages ? null,
        }:
        names
      )
      { };
in
assert
  scope ? python313Packages.numpy.overrideAttrs
  || throw "this nixpkgs has no package `python313Packages.numpy` with `.overrideAttrs`";
scope.python313Packages.numpy.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [ pkgs.zlib ];
  tool = "${pkgs.ninja}/bin/ninja";
  both =
    let
      caller = pkgs;
    in
    let
      pkgs = scope;
    in
    ([ caller.hello pkgs.hello ]);
})
