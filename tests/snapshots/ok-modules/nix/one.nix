# one
# Made by tvarc from input.tvar: matrix one, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-KdIBq7Qbzewyxy5ClVnI31pE/Wl0mL7BPyqTKy9djMQ=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
pinned.hello.overrideAttrs (_: {
  pname = "hello-2.10.0";
  version = "2.10.0";
})
