# two
# Made by tvarc from input.tvar: matrix two, recipe more.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Fs04vfyeMvDRUN/NgikEr1cWGeLpDnAX4hNbXyCA3Qk=
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
    };
    overlays = [ ];
  };
in
assert
  pinned ? python3Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torch` with `.overrideAttrs`";
pinned.python3Packages.torch.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DUSE_FBGEMM=OFF"
    "-DUSE_MKLDNN=OFF"
    "-DUSE_XNNPACK=OFF"
  ];
})
