# two
# Made by tvarc from input.tvar: matrix two, recipe vision.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ZFMIHD0uXfwgdiazjJ6n1OUldxCQ/JdllJPZw6TdrBY=
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
    };
    overlays = [
      # of-torch
      (final: prev: {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: {
            torch = pyPrev.torch.override { gpuTargets = [ "9.0" ]; };
          })
        ];
      })
    ];
  };
in
pinned.python3Packages.torchvision
