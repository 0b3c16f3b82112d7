# called-bare
# Made by tvarc from input.tvar: matrix called-bare, recipe bare.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-3zM0ymKvp6Gp0G0wbD2FZ5wjRP+tu4vjmxgyz2y0LUU=
{
  lib,
  magma,
  odd-name,
  openblas,
  python3Packages,
}:

(python3Packages.torch.override { magma = magma; }).overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [
    openblas
    odd-name
    lib.getDev
  ];
})
