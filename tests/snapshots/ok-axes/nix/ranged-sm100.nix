# ranged-sm100: Blackwell (B200, GB200)
# Made by tvarc from input.tvar: matrix by-range, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Hfoue92IKjERtJYZZs6m6c/sxXSR6Nu/WWoo9MmhyA4=
{ hello }:

hello
