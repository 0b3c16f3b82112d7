# app-sm121: sm121
# Made by tvarc from input.tvar: matrix apps, recipe app.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-HpAvczVaDP2WgG8YMzbFbFWG+FgEQe9eW9r0desR9ww=
{
  pkgs ? import <nixpkgs> { },
  cuda-packages-input ? builtins.fetchTarball {
    url = "https://github.com/example/cuda-packages/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
  },
  near-input ? ../checkout,
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-i9InbxD5HtfonB/GyF9nQhFmok3jZ73RxGcIciGBGvU=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
(pinned.callPackage ../checkout/app.nix {
  capability = "12.1";
  cudart = import (cuda-packages-input + "/pkgs/cudart-sm121.nix") { pkgs = pkgs; };
}).overrideAttrs
  (_: { shared = near-input + "/app.nix"; })
