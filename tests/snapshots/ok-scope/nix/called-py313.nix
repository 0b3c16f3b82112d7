# called-py313: py313
# Made by tvarc from input.tvar: matrix calleds, recipe called.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-KihKIVeGPyWuQl7RuJtPii4uKOBywNEWSF+ZYBFyypo=
names@{
  callPackage,
  grpcio,
  pkgs,
  protobuf,
  nose ? null,
  pytest ? null,
}:

assert grpcio ? overrideAttrs || throw "this nixpkgs has no package `grpcio` with `.overrideAttrs`";
grpcio.overrideAttrs (old: {
  nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ pkgs.protobuf ];
  propagatedBuildInputs = (old.propagatedBuildInputs or [ ]) ++ [ protobuf ];
  checked =
    let
      pkgs =
        names
        //
          callPackage
            (
              names@{
                hypothesis ? null,
              }:
              names
            )
            { };
    in
    ([ pkgs.pytest (pkgs.nose or null) ] ++ (with pkgs; [ hypothesis ]));
})
