# one
# Made by tvarc from input.tvar: matrix one, recipe a.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-eJa667J7D/k7VfVzL90i+9Kbx6JJlNzI7hWDydwYbqc=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-nj2SvACFH+NERpye1kudcuygCcvnsZYv26M2+wgM5vE=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = { };
    overlays = [ ];
  };
in
pinned.hello
