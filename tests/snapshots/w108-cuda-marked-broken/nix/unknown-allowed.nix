# unknown-allowed: allowed
# Made by tvarc from input.tvar: matrix at-unknown, recipe c.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-K4iR+DYx+zR6cqBOpyqql1IasxXkoTwrp9QUQAzpZ2I=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/ffffffffffffffffffffffffffffffffffffffff.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      cudaSupport = true;
      allowBroken = true;
    };
    overlays = [
      # cuda-13_0
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  env = (old.env or { }) // {
    MARK = "allowed";
  };
  meta = (old.meta or { }) // {
    longDescription = "Driver: 580 or newer.";
  };
})
