# older-plain: plain
# Made by tvarc from input.tvar: matrix at-older, recipe b.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-nJP0XA9mfwfgZAn/pRc1cOSgZhhjjldK/KuMzrti1T8=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
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
