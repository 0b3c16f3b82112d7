# pinned
# Made by tvarc from input.tvar: matrix pinned, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ujmP1J5MG69ICKb6c/EU6pQiOzu/Usa+zyk30Bqq3tk=
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
    overlays = [
      # small
      (
        final: prev:
        assert prev ? zlib || throw "overlay `small`: this nixpkgs has no `zlib`";
        {
          zlib =
            assert
              prev ? zlib.overrideAttrs
              || throw "overlay `small`: this nixpkgs has no package `zlib` with `.overrideAttrs`";
            prev.zlib.overrideAttrs (old: {
              NIX_CFLAGS_COMPILE =
                prev.lib.remove null (prev.lib.toList (old.NIX_CFLAGS_COMPILE or [ ])) ++ [ "-Os" ];
            });
        }
      )
    ];
  };
in
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (_: { NIX_CFLAGS_COMPILE = "-O3"; })
