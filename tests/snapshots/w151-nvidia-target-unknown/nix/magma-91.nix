# magma-91: 9.1
# Made by tvarc from input.tvar: matrix builds, recipe magma.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-z3Y8gFOEoR9pSTMAPVXGTe1GB00RG98UGYZk0kQu6FA=
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
      cudaCapabilities = [ "9.1" ];
    };
    overlays = [
      # cuda-12_9
      (final: prev: { cudaPackages = final.cudaPackages_12_9; })
    ];
  };
in
pinned.magma
