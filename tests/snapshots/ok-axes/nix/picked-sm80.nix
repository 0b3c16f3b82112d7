# picked-sm80: Ampere (A100, A30)
# Made by tvarc from input.tvar: matrix by-pick, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-TIJ08+4YSsZ1Me9l2wOycYX95MWod7AIK/Lki+/SwvY=
{ hello }:

hello
