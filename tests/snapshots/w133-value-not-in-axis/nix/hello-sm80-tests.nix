# hello-sm80-tests: Ampere (A100, A30), tests = true
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-FbRN8+qRc4iPcCUgGfy2UFIzBigDM2Z/Us5BGt8qgsU=
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
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (old: {
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
      GPU = "Ampere (A100, A30)";
      TESTS = "1";
    };
})
