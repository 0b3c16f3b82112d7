# without-cuda
# Made by tvarc from input.tvar: matrix without-cuda, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-7wmSNObzVDZjNo9hYpLVIbS8geJ0CUQ4OdYcSmzvETQ=
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
      cudaSupport = false;
    };
    overlays = [ ];
  };
in
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (old: {
  preConfigure = toString (old.preConfigure or "") + "export CFLAGS='-mavx512er -mavx512f'";
})
