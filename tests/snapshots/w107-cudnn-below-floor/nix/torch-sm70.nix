# torch-sm70: Volta (V100, Titan V)
# Made by tvarc from input.tvar: matrix with-cudnn, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-yEuKXlK/mWMlO/WY1kidJPxhGxUUowADUQ2Yup2qMio=
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
      cudaCapabilities = [ "7.0" ];
    };
    overlays = [ ];
  };
in
pinned.python3Packages.torch.override { gpuTargets = [ "7.0" ]; }
