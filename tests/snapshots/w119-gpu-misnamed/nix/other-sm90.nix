# other-sm90: Hopper (H100, H200, GH200)
# Made by tvarc from input.tvar: matrix of-other, recipe other.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-dLbHMYYb256U2ulKyydTh4Ykh6EbDj/VXc0p4T1bVaQ=
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
      cudaCapabilities = [ "9.0" ];
    };
    overlays = [
      # exact
      (final: prev: { cudaPackages = final.cudaPackages_12_9; })
    ];
  };
in
assert
  (pinned ? python3Packages.torch.override && pinned ? python3Packages.torch.overrideAttrs)
  || throw "this nixpkgs has no package `python3Packages.torch` with `.override` and `.overrideAttrs`";
(pinned.python3Packages.torch.override { gpuTargets = [ "9.0" ]; }).overrideAttrs (old: {
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
      TEXT = "other";
    };
  meta = (old.meta or { }) // {
    longDescription = "Driver: 570 or newer.";
    description = "PyTorch for SM90 (H100, L40S)";
  };
})
