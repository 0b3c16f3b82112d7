# unknown-allowed: allowed
# Made by tvarc from input.tvar: matrix at-unknown, recipe c.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-zWB3A2yiTURd8PJVV+w0ixhHHGwPhEZpg153jiO/8LM=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
