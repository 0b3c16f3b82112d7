# two
# Made by tvarc from input.tvar: matrix two, recipe more.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-rEG/gSfvdKpDJOh4x6aWjMm6ZlQvrZ3lvEuudHPbgp0=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [ ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DUSE_FBGEMM=OFF"
    "-DUSE_MKLDNN=OFF"
    "-DUSE_XNNPACK=OFF"
  ];
})
