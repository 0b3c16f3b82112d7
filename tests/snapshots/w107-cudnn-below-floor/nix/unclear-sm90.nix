# unclear-sm90: Hopper (H100, H200, GH200)
# Made by tvarc from input.tvar: matrix perhaps, recipe unclear.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-wXRXvlfQyBXRE5AS9Z0G5f3Dkv4e7+VVGIhrwFJKM+U=
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
    overlays = [ ];
  };
in
assert
  (pinned ? python3Packages.torch.override && pinned ? python3Packages.torch.overrideAttrs)
  || throw "this nixpkgs has no package `python3Packages.torch` with `.override` and `.overrideAttrs`";
(pinned.python3Packages.torch.override { gpuTargets = [ "9.0" ]; }).overrideAttrs (old: {
  preConfigure = toString (old.preConfigure or "") + ''
    . ./choose USE_CUDNN
  '';
})
