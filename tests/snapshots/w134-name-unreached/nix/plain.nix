# plain: tests = false
# Made by tvarc from input.tvar: matrix builds, recipe numpy.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-kFCyT4jAAe5J6Phu6Nz1Xy7Y/t6bTPSahd9+viBNjcE=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/8b27c1239e5c421a2bbc2c65d52e4a6fbf2ff296.tar.gz";
    sha256 = "sha256-CqCX4JG7UiHvkrBTpYC3wcEurvbtTADLbo3Ns2CEoL8=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
assert
  pinned.lib.trivial.release == "24.11"
  || throw "pin `nixpkgs` states release 24.11, its nixpkgs is of ${pinned.lib.trivial.release}";
assert
  pinned ? python3Packages.numpy.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.numpy` with `.overrideAttrs`";
pinned.python3Packages.numpy.overrideAttrs (_: {
  pname = "numpy-plain";
  doInstallCheck = false;
})
