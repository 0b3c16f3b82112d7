# python313-other: python313
# Made by tvarc from input.tvar: matrix other, recipe unknown.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-wCj6C5ngQPWKd0FIE/I432d6+Q6YGM0f5AbginbAofo=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/fe5e41d7ffc0421f0913e8472ce6238ed0daf8e3.tar.gz";
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
  pinned ? python313Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python313Packages.torch` with `.overrideAttrs`";
pinned.python313Packages.torch.overrideAttrs (_: { version = "3.0.0"; })
