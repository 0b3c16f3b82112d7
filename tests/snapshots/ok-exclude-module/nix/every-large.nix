# every-large: large
# Made by tvarc from input.tvar: matrix every, recipe base.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-fjJChV9Xauwam5PCtO5/RTIyggvd4PIH7JWxaYhWiKs=
{ hello }:

hello.overrideAttrs (_: {
  board = "large";
  matrix = "every";
})
