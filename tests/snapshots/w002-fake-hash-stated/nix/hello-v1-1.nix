# hello-v1-1: v1, 1
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-84Fcan37vukYYPtGoxw/TMqXOmmXoNpekMbtrn0qwso=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
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
      (
        final: prev:
        assert prev ? hello || throw "patch `fix`: this nixpkgs has no `hello`";
        {
          hello =
            assert
              prev ? hello.overrideAttrs
              || throw "patch `fix`: this nixpkgs has no package `hello` with `.overrideAttrs`";
            prev.hello.overrideAttrs (old: {
              patches = prev.lib.remove null (prev.lib.toList (old.patches or [ ])) ++ [
                (
                  assert
                    prev.lib.functionArgs final.fetchpatch ? relative
                    || throw "patch `fix`: a patch by `hash` is known to nixpkgs from 22.05 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
                  final.fetchpatch {
                    url = "https://example.org/fix.patch";
                    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
                  }
                )
              ];
            });
        }
      )
    ];
  };
in
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (_: {
  src =
    assert
      pinned.lib.functionArgs pinned.fetchFromGitHub ? tag
      || throw "`github(…)` with `tag` is known to nixpkgs from 25.05 on; state the `release` of the pin, and it is written as this nixpkgs takes it";
    pinned.fetchFromGitHub {
      owner = "own";
      repo = "hello";
      tag = "v1.0";
      hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAKOrjGFb+20=";
    };
  jobs = 1;
})
