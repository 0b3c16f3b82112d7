# some-small: small
# Made by tvarc from input.tvar: matrix some, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-JwiZ+fLf7zVCUQHSYiHq0fKrI/QSOrTzLA5NJHb/Jus=
{ hello }:

hello.overrideAttrs (_: {
  board = "small";
  matrix = "some";
})
