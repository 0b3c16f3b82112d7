# hello
# Made by tvarc from input.tvar: matrix hello, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-4hAI6b3qsKY29vu4gHTyO5gSZEf6+EFpIkqLJ0dQark=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
    sha256 = "sha256-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=";
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
              hash = "sha256-EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE=";
              excludes = [ "doc/*" ];
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
    tag = "v1";
    hash = "sha256-CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC=";
    fetchSubmodules = true;
  };
  data = [
    (pinned.fetchurl {
      url = "https://example.org/data.tar.gz";
      hash = "sha256-DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD=";
    })
  ];
})
