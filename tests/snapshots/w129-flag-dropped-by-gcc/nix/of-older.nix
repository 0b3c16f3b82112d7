# of-older
# Made by tvarc from input.tvar: matrix of-older, recipe old.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-hfnVotWNQWk6+Kjfq1//qyab7oq3Y2qAXz4CX5Q9RgI=
{
  pkgs ? {
    stdenv.hostPlatform.system = builtins.currentSystem or (throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does");
  },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.tar.gz";
    sha256 = "sha256-RKiZLHBCneMtZKRgTEuW1K7+Jpi+tx11BMXuS1jC1xQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [ ];
  };
in
assert
  pinned.lib.trivial.release == "24.11"
  || throw "pin `older` states release 24.11, its nixpkgs is of ${pinned.lib.trivial.release}";
assert
  pinned ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
pinned.hello.overrideAttrs (old: {
  env = (old.env or { }) // {
    CFLAGS = "-march=knl";
  };
})
