# conflicting-allowed: allowed
# Made by tvarc from input.tvar: matrix at-conflicting, recipe a.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-oaZNM6D0Pz/fLwwLSX3slrHwBfTUqqCoW5MjB3tWbLo=
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
      allowBroken = true;
    };
    overlays = [
      # cuda-13_0
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  env = (old.env or { }) // {
    MARK = "allowed";
  };
  meta = (old.meta or { }) // {
    longDescription = "Driver: 580 or newer.";
  };
})
