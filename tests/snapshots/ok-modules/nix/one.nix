# one
# Made by tvarc from input.tvar: matrix one, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-v9RxVJscynowSkkBEeI8CisZzMBeaoFxch0f++GXNtQ=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (_: {
  pname = "hello-2.10.0";
  version = "2.10.0";
})
