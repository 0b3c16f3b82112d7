# tvarc itself: `nix-build` in this folder, or `import ./tvarc { inherit pkgs; }`.
{
  pkgs ? import <nixpkgs> { },
}:
pkgs.callPackage ./.flox/pkgs/tvarc.nix { }
