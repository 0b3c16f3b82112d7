# older-allowed: allowed
# Made by tvarc from input.tvar: matrix at-older, recipe b.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ArkL/u/TgRKNJzLU/eQd1dnDTC52pp2MAfJybnPh/8Q=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
      allowBroken = true;
    };
    overlays = [
      # cuda-13_0
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
assert
  pinned ? python3Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torch` with `.overrideAttrs`";
pinned.python3Packages.torch.overrideAttrs (old: {
  env =
    assert
      !(
        (pinned.stdenv.mkDerivation {
          name = "probe";
          env = { };
        }).drvAttrs ? env
      )
      || throw "`env` is known to nixpkgs from 23.05 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
    (old.env or { })
    // {
      MARK = "allowed";
    };
  meta = (old.meta or { }) // {
    longDescription = "Driver: 580 or newer.";
  };
})
