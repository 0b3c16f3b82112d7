# in-an-overlay
# Made by tvarc from input.tvar: matrix in-an-overlay, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-nS36GJunVO7eGGjX1ARz65fA0Ayeda41XfIozvWUADA=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # vision-0_29_1
      (final: prev: {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: {
            torchvision = pyPrev.torchvision.overrideAttrs (_: { version = "0.29.1"; });
          })
        ];
      })
    ];
  };
in
pinned.python3Packages.torch.overrideAttrs (_: { version = "2.10.0"; })
