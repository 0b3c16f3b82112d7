# torch2_10-sm90: torch2_10, sm90
# Made by tvarc from input.tvar: matrix torches, recipe torch.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-1csBSC1FjQygIKY1/9r7g1hOb4CLNEbQsfyOOu8Y+Kk=
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
    config = { };
    overlays = [ ];
  };
in
assert
  pinned ? python3Packages.torch.overrideAttrs
  || throw "this nixpkgs has no package `python3Packages.torch` with `.overrideAttrs`";
pinned.python3Packages.torch.overrideAttrs (old: {
  pname = "torch-torch2_10";
  version = "2.10";
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
      CAPABILITY = "9.0";
    };
})
