# three
# Made by tvarc from input.tvar: matrix three, recipe both.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-94nOR5tKSDwI+132SBkvLko97EX+914J6aqt8xMWUO0=
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
      cudaSupport = true;
      cudaCapabilities = [
        "8.0"
        "9.0"
      ];
    };
    overlays = [ ];
  };
in
pinned.python3Packages.torch.override {
  gpuTargets = [
    "8.0"
    "9.0"
  ];
}
