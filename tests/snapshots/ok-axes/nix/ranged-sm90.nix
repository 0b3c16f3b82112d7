# ranged-sm90: Hopper (H100, H200, GH200)
# Made by tvarc from input.tvar: matrix by-range, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-psrDzuib0pL/YyEe8U7Ibh87eC7quKuxHM62hA5t6SI=
{ hello }:

hello
