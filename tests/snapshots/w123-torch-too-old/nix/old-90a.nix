# old-90a: 9.0a
# Made by tvarc from input.tvar: matrix old, recipe written.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-QHzs2BI2KuJmdVXgFh1NcYbSeiyl+X6tACaHWccYhd8=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      allowBroken = true;
      cudaSupport = true;
      cudaCapabilities = [ "9.0a" ];
    };
    overlays = [
      # exact
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
assert
  (pinned ? python3Packages.torch.override && pinned ? python3Packages.torch.overrideAttrs)
  || throw "this nixpkgs has no package `python3Packages.torch` with `.override` and `.overrideAttrs`";
(pinned.python3Packages.torch.override { gpuTargets = [ "9.0a" ]; }).overrideAttrs (old: {
  version = "2.6.0";
  meta = (old.meta or { }) // {
    description = "PyTorch, driver 580 or newer";
  };
})
