# made-here
# Made by tvarc from input.tvar: matrix made-here, recipe made.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-J/ANBNUO7xKLwJtrDtGrdx+yfUmYZh2CCb4bcg/eoQI=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
      # own
      (final: prev: {
        cudaPackages_12_5 = prev.cudaPackages_12_8;
        cudaPackages = final.cudaPackages_12_5;
      })
    ];
  };
in
pinned.magma
