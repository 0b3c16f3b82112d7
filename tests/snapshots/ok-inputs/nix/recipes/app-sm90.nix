# app-sm90: sm90
# Made by tvarc from input.tvar: matrix apps, recipe app.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-C+uKV4ou8HindykxzJQzsM9BnIk4GpqhO9NuAQAFXrI=
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
  capability = "9.0";
  cudart = import (cuda-packages-input + "/pkgs/cudart-sm90.nix") { pkgs = pkgs; };
}).overrideAttrs
  (_: { shared = near-input + "/app.nix"; })
