# v-tool
# Made by tvarc from input.tvar: matrix v-tool, recipe tool.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-QEy0C/OMzFI8Q3hQLY1jm/fhbocbxAHvV9cIeE5dqhI=
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
    crossSystem = {
      system = "aarch64-linux";
    };
    config = { };
    overlays = [
      # newer
      (
        final: prev:
        let
          scope = final.callPackage (names@{ pkg-config }: names) { };
        in
        assert prev ? zlib || throw "overlay `newer`: this nixpkgs has no `zlib`";
        {
          zlib =
            assert
              prev ? zlib.overrideAttrs
              || throw "overlay `newer`: this nixpkgs has no package `zlib` with `.overrideAttrs`";
            prev.zlib.overrideAttrs (old: {
              nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ scope.pkg-config ];
            });
        }
      )
    ];
  };

  scope =
    pinned.callPackage
      (
        names@{
          cmake,
          hello ? null,
          zlib,
        }:
        names
      )
      { };
in
assert
  pinned.lib.versionAtLeast pinned.lib.trivial.release "26.05"
  || throw "pin `arm` states release 26.05, its nixpkgs is of ${pinned.lib.trivial.release}";
assert
  scope ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
scope.hello.overrideAttrs (old: {
  nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ scope.cmake ];
  buildInputs = (old.buildInputs or [ ]) ++ [ scope.zlib ];
})
