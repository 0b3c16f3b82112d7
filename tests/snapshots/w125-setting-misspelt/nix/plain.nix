# plain
# Made by tvarc from input.tvar: matrix plain, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-puZYdOCyLL5+lf2fMwQzfRucMm9o0MqppEiDED3GlyU=
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
      allowUnFree = true;
      cudaCapability = [ "9.0" ];
      cudaSuport = true;
      ours = 1;
    };
    overlays = [ ];
  };
in
pinned.hello
