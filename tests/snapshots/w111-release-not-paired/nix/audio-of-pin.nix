# audio-of-pin
# Made by tvarc from input.tvar: matrix audio-of-pin, recipe audio.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-EPbkf1zskupFWJbX1le9CAqU1l+2NY10OgWkkYI20fw=
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
      # torch-2_10
      (final: prev: {
        pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
          (pyFinal: pyPrev: {
            torch = pyPrev.torch.overrideAttrs (_: { version = "2.10.0"; });
          })
        ];
      })
    ];
  };
in
pinned.python3Packages.torchaudio
