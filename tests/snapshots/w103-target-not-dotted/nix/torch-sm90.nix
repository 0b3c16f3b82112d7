# torch-sm90: Hopper (H100, H200, GH200)
# Made by tvarc from input.tvar: matrix builds, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-xMVBEGX05FbeMiYsNEQVh9beZxCWnSeaoUKcfHb+C9U=
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
      cudaCapabilities = [ "9.0" ];
    };
    overlays = [ ];
  };
in
assert
  pinned ? python3Packages.torch.override
  || throw "this nixpkgs has no package `python3Packages.torch` with `.override`";
pinned.python3Packages.torch.override {
  gpuTargets = [
    "sm90"
    "90a"
    "sm_120+PTX"
    "90"
    "9.0"
    "10.0a"
    "8.6+PTX"
    "Hopper"
  ];
}
