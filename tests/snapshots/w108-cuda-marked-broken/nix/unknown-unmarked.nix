# unknown-unmarked: unmarked
# Made by tvarc from input.tvar: matrix at-unknown, recipe c.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-vLGdwSbU6iFktXmFTkk/ULUA7xzp1kniCCwoMa+4JcE=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/ffffffffffffffffffffffffffffffffffffffff.tar.gz";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
      cudaSupport = true;
    };
    overlays = [
      # cuda-13_0
      (final: prev: { cudaPackages = final.cudaPackages_13_0; })
    ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  env = (old.env or { }) // {
    MARK = "unmarked";
  };
  meta = (old.meta or { }) // {
    broken = false;
    longDescription = "Driver: 580 or newer.";
  };
})
