# cuda13_0: 13.0
# Made by tvarc from input.tvar: matrix by-value, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-yrsH/L3G3A7R6sHHSTKPpDMoGa5iJth/92qcrSxqQ+M=
{ hello }:

hello
