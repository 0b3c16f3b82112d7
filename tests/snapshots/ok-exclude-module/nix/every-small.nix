# every-small: small
# Made by tvarc from input.tvar: matrix every, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-/XUl+YBdJKTJrarBKbh7NbASNjPWhERoPajtf7n7MBA=
{ hello }:

hello.overrideAttrs (_: {
  board = "small";
  matrix = "every";
})
