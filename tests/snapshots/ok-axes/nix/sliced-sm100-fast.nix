# sliced-sm100-fast: Blackwell (B200, GB200), fast
# Made by tvarc from input.tvar: matrix sliced, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-tipbaW7NvRDuQlxCy7/9LFbwv45816B/AxAAuceR2XI=
{ hello }:

hello
