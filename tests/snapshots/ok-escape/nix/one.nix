# one
# Made by tvarc from input.tvar: matrix one, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-enqO7e0zvf+8OAiIm8GaukBNfZc9E1yJIxjBj7fYsos=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/6a030d535719c5190187c4cec156f335e95e3211.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [
      # stdenv-all
      (final: prev: {
        magma = (
          prev.magma.override {
            # the comment stays
            stdenv = final.gcc14Stdenv;
          }
        );
      })
    ];
  };
in
(
  let
    pkgs = pinned;
  in
  (pkgs.python3Packages.torch or pkgs.hello)
).overrideAttrs
  (old: {
    flags = (old.flags or [ ]) ++ [ "-DX=1" ];
    text = "with ${
      let
        lib = pinned.lib;
      in
      lib.version
    } in it";
    postFixup =
      let
        pkgs = pinned;
      in
      (''
  echo ${pkgs.hello}
'');
  })
