# torch-cuda12_9: cuda12_9
# Made by tvarc from input.tvar: matrix builds, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-SeZw2y5k+6icJWMpr4xLTwTGsTFZp0l533WD+ex3+wg=
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
    };
    overlays = [
      # exact
      (final: prev: { cudaPackages = final.cudaPackages_12_9; })
    ];
  };
in
assert
  pinned ? python3Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torch` with `.overrideAttrs`";
pinned.python3Packages.torch.overrideAttrs (old: {
  meta = (old.meta or { }) // {
    description = "PyTorch with CUDA 12.8";
    longDescription = ''
      Made with CUDA 12.9, of the release 12 of CUDA: CUDA 12.
      Needs CUDA 12.4 or newer; drivers of CUDA 13.0 will do.
      Driver: 525 or newer.
    '';
  };
})
