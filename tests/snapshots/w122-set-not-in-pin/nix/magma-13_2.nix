# magma-13_2: 13_2
# Made by tvarc from input.tvar: matrix builds, recipe magma.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-NGUIXmJOYU3bm9Uq58T2VP5rEf19z8oF4qX3yI715tY=
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
      # exact
      (final: prev: { cudaPackages = final.cudaPackages_13_2; })
    ];
  };
in
pinned.magma
