# grpc-py311: py311
# Made by tvarc from input.tvar: matrix grpcs, recipe grpc.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-FjXSUjO60KJE8bniCtSBS/83bbzb75kmZeOy6LhVZjA=
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

  scope =
    pinned.python311Packages.callPackage
      (
        names@{
          grpcio ? null,
          hypothesis ? null,
          nose ? null,
          protobuf,
          pytest ? null,
        }:
        names
      )
      { };
in
assert
  pinned.lib.versionAtLeast pinned.lib.trivial.release "26.05"
  || throw "pin `here` states release 26.05, its nixpkgs is of ${pinned.lib.trivial.release}";
assert
  pinned ? python311Packages.callPackage
  || throw "`scope`: this nixpkgs has no package set `python311Packages` with `.callPackage`";
assert
  scope ? grpcio.overrideAttrs
  || throw "this nixpkgs has no package `grpcio` with `.overrideAttrs`";
scope.grpcio.overrideAttrs (old: {
  nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ pinned.protobuf ];
  propagatedBuildInputs = (old.propagatedBuildInputs or [ ]) ++ [ scope.protobuf ];
  checked =
    let
      pkgs = scope;
    in
    ([ pkgs.pytest (pkgs.nose or null) ] ++ (with pkgs; [ hypothesis ]));
})
