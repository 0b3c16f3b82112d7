# fast-openblas-openblas: fast, openblas
# Made by tvarc from input.tvar: matrix by-rows, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-6HoD31hhE+MmIz09earZ2Ei7LAjqxNnTdbZjVOG7JWw=
{ hello }:

hello
