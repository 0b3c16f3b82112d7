# magma-cuda13_0-avx2: cuda13_0, AVX2
# Made by tvarc from input.tvar: matrix of-rows, recipe magma.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-1ytOC0m2u3d/ZKdHnzQ0rBIbvHW/Vf7CoxDCZByXrWg=
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
      # exact
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
pinned.magma.overrideAttrs (old: {
  env = (old.env or { }) // {
    CXXFLAGS = "-mavx2 -mfma -mf16c -O2";
  };
})
