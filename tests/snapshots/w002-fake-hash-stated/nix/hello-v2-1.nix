# hello-v2-1: v2, 1
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-KqE8aRW5BD69RFYh3vUwmQOsTZWduptck2xzxweC2rs=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAsTJSFBxqYd0=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # fix: it does not build
      (final: prev: {
        hello = prev.hello.overrideAttrs (old: {
          patches = (old.patches or [ ]) ++ [
            (final.fetchpatch {
              url = "https://example.org/fix.patch";
              hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
            })
          ];
        });
      })
    ];
  };
in
pinned.hello.overrideAttrs (_: {
  src = pinned.fetchFromGitHub {
    owner = "own";
    repo = "hello";
    tag = "v2.0";
    hash = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };
  jobs = 1;
})
