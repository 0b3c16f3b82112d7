# pinned-cu128: cu128
# Made by tvarc from input.tvar: matrix builds, recipe pinned.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-apBMUGFeSbt7FxxV7Vdp/ultTjVIvh9fjE0ueOlslVo=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [
      # toolkit
      (final: prev: { cudaPackages = final.cudaPackages_12_8; })
    ];
  };
in
pinned.magma
