# picked-sm90: Hopper (H100, H200, GH200)
# Made by tvarc from input.tvar: matrix by-pick, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-NNnjBCagSfOe2QDKGO+1auhAplp/gpwSPbQLNh+Al9Q=
{ hello }:

hello
