# four
# Made by tvarc from input.tvar: matrix four, recipe handed.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-bgp38CjHUeYu1popCEiBiYdH3j+M0aHDfw4h4YyCITw=
{
  pkgs ? import <nixpkgs> { },
}:

let
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/NixOS/nixpkgs/archive/0182a361324364ae3f436a63005877674cf45efb.tar.gz";
    sha256 = "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=";
  };

  pinned = import nixpkgs {
    inherit (pkgs.stdenv.hostPlatform) system;
    config = {
      allowUnfree = true;
    };
    overlays = [ ];
  };
in
pinned.python3Packages.torch.overrideAttrs (old: {
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [ "-DUSE_FBGEMM=OFF" ];
  preConfigure = (old.preConfigure or "") + ''
    export CMAKE_ARGS="$cmakeFlags"
  '';
})
