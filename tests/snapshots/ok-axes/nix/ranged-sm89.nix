# ranged-sm89: Ada Lovelace (RTX 40 series, L40S, L4)
# Made by tvarc from input.tvar: matrix by-range, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-lzr0t2bja9p8pQvmw//IPBxwGJgJpCI6os94YDzyeF8=
{ hello }:

hello
