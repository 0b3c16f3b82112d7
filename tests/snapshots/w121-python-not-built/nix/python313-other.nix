# python313-other: python313
# Made by tvarc from input.tvar: matrix other, recipe unknown.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-XCsK2B3we8wAIOJ1LZj+cuzs4sALcXI6F9hDAqPrg9k=
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
    };
    overlays = [ ];
  };
in
assert
  pinned ? python313Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python313Packages.torch` with `.overrideAttrs`";
pinned.python313Packages.torch.overrideAttrs (_: { version = "3.0.0"; })
