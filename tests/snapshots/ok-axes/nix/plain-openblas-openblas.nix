# plain-openblas-openblas: plain, openblas
# Made by tvarc from input.tvar: matrix by-rows, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-7pp7NNpJO1eyzoX7xCG1cCfvLz5vU3A/hJ6xyBMIiJ8=
{ hello }:

hello
