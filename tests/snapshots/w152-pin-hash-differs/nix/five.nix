# five
# Made by tvarc from input.tvar: matrix five, recipe e.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ZLll4N1vOQn2ss3vvDZ6hTXJmtMBn7rcZ7uyKtxSgkQ=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
pinned.hello
