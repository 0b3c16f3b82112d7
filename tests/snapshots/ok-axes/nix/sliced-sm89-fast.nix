# sliced-sm89-fast: Ada Lovelace (RTX 40 series, L40S, L4), fast
# Made by tvarc from input.tvar: matrix sliced, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-LoFRRJp/QYOf3NZV0vQQ15uujZmWUJTTl5rYhbA0kTw=
{ hello }:

hello
