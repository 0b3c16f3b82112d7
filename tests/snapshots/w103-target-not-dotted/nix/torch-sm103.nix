# torch-sm103: Blackwell Ultra (B300, GB300)
# Made by tvarc from input.tvar: matrix builds, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-9yG6ecsT/jDZEYA85GBLrruYZI3+ENuFE6sWTBhI9XU=
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
      cudaCapabilities = [ "10.3" ];
    };
    overlays = [ ];
  };
in
assert
  pinned ? python3Packages.torch.override
  || throw "this nixpkgs has no package `python3Packages.torch` with `.override`";
pinned.python3Packages.torch.override {
  gpuTargets = [
    "sm103"
    "90a"
    "sm_120+PTX"
    "103"
    "9.0"
    "10.0a"
    "8.6+PTX"
    "Hopper"
  ];
}
