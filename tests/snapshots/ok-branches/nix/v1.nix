# v1: 1
# Made by tvarc from input.tvar: matrix builds, recipe pinned.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Sf6AUOTfW6QjjxEk95QxoqjKw2Zp5HL80wJ5qoKM1bg=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # beside
      (final: prev: { one = true; })
    ];
  };
in
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (old: {
  doCheck = true;
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    # the first
    "-DONE=1"
  ];
  preConfigure = toString (old.preConfigure or "") + "echo 1";
})
