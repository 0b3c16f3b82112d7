# unknown-plain: plain
# Made by tvarc from input.tvar: matrix at-unknown, recipe c.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Dk2AhcNJbkd3OULwDIkMwepQYyN7+wPJjyR9XQV/bZ8=
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
    };
    overlays = [
      # cuda-13_0
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  env = (old.env or { }) // {
    MARK = "plain";
  };
  meta = (old.meta or { }) // {
    longDescription = "Driver: 580 or newer.";
  };
})
