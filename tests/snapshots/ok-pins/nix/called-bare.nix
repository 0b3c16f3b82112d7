# called-bare
# Made by tvarc from input.tvar: matrix called-bare, recipe bare.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-9oK9tLCpLAo4DpDQIhjE4XLO5/u7iQY0StLnsGC+a9k=
{
  lib,
  magma,
  odd-name,
  openblas,
  python3Packages,
}:

assert
  (python3Packages ? torch.override && python3Packages ? torch.overrideAttrs)
  || throw "this nixpkgs has no package `torch` with `.override` and `.overrideAttrs`";
(python3Packages.torch.override { magma = magma; }).overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [
    openblas
    odd-name
    lib.getDev
  ];
})
