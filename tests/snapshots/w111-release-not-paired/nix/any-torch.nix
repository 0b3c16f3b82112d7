# any-torch
# Made by tvarc from input.tvar: matrix any-torch, recipe fine.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-2syTi73Z87+n3A7j7ahYRsH0Yfr3w9DYviGaQ8MksKw=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # torch-2_10
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `torch-2_10`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `torch-2_10`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torch =
                assert
                  pyPrev ? torch.overrideAttrs
                  || throw "overlay `torch-2_10`: this nixpkgs has no package `torch` with `.overrideAttrs`";
                pyPrev.torch.overrideAttrs (_: { version = "2.10.0"; });
            })
          ];
        }
      )
      # audio-2_11
      (
        final: prev:
        assert
          prev ? python3Packages
          || throw "overlay `audio-2_11`: this nixpkgs has no `python3Packages`";
        assert
          prev ? pythonPackagesExtensions
          || throw "overlay `audio-2_11`: `pythonPackagesExtensions`, by which all Python sets are changed, is known to nixpkgs from 22.11 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
        {
          pythonPackagesExtensions = prev.pythonPackagesExtensions ++ [
            (pyFinal: pyPrev: {
              torchaudio =
                assert
                  pyPrev ? torchaudio.overrideAttrs
                  || throw "overlay `audio-2_11`: this nixpkgs has no package `torchaudio` with `.overrideAttrs`";
                pyPrev.torchaudio.overrideAttrs (_: { version = "2.11.0"; });
            })
          ];
        }
      )
    ];
  };
in
assert
  builtins.isAttrs pinned.python3Packages.torch
  || throw "overlay `torch-2_10`: `python3Packages.torch` of this nixpkgs is no package";
pinned.python3Packages.torchaudio
