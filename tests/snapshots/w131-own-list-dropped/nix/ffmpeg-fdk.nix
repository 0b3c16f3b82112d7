# ffmpeg-fdk
# Made by tvarc from input.tvar: matrix ffmpeg-fdk, recipe ffmpeg.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-UhJhyA0sPu0SRKabN3cIryy9TOQSLAy+5y2Jbjvbc9Y=
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
    config = { };
    overlays = [ ];
  };
in
assert
  pinned ? ffmpeg.overrideAttrs
  || throw "this nixpkgs has no package `ffmpeg` with `.overrideAttrs`";
pinned.ffmpeg.overrideAttrs (_: { configureFlags = [ "--enable-libfdk-aac" ]; })
