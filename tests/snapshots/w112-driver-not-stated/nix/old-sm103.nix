# old-sm103: Blackwell Ultra (B300, GB300)
# Made by tvarc from input.tvar: matrix too-low, recipe too-old.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-omlfhulslNjwEIRCg7xmOrVf1XnRVrz8maf3OLOosjc=
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
      # cuda-13_1
      (final: prev: { cudaPackages = final.cudaPackages_13_1; })
    ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  env = (old.env or { }) // {
    GPU = "sm103";
  };
  meta = (old.meta or { }) // {
    longDescription = "For driver 550 or newer.";
  };
})
