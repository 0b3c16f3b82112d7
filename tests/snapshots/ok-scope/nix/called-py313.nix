# called-py313: py313
# Made by tvarc from input.tvar: matrix calleds, recipe called.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-oM5z8lp0cIXWuO34owRkc+Zl1YAFe1ZwKmt4xoF8Hj8=
names@{
  grpcio,
  pkgs,
  protobuf,
  hypothesis ? null,
  nose ? null,
  pytest ? null,
}:

assert grpcio ? overrideAttrs || throw "this nixpkgs has no package `grpcio` with `.overrideAttrs`";
grpcio.overrideAttrs (old: {
  nativeBuildInputs = (old.nativeBuildInputs or [ ]) ++ [ pkgs.protobuf ];
  propagatedBuildInputs = (old.propagatedBuildInputs or [ ]) ++ [ protobuf ];
  checked =
    let
      pkgs = names;
    in
    ([ pkgs.pytest (pkgs.nose or null) ] ++ (with pkgs; [ hypothesis ]));
})
