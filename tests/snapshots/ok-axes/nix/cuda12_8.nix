# cuda12_8: 12.8
# Made by tvarc from input.tvar: matrix by-value, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-hPitO2Pi2ewELmv9qM3qg5YbzsIrZ7lswC/VXUesnq8=
{ hello }:

hello
