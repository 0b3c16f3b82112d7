# silent-sm103: Blackwell Ultra (B300, GB300)
# Made by tvarc from input.tvar: matrix not-stated, recipe silent.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-jMXjqj/0lonX2wsWYFPAoapJZIFzkR8Rgmmt0Yz08cY=
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
      allowBroken = true;
      cudaSupport = true;
    };
    overlays = [
      # cuda-12_9
      (final: prev: { cudaPackages = final.cudaPackages_12_9; })
    ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm103";
  };
})
