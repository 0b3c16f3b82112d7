# large-nuc: nuc
# Made by tvarc from input.tvar: matrix larger, recipe other.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-TQ5rKAWJlbakvY0pkClE7MTBdSQ2RAUomeTmT9J4umU=
{ hello }:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: { watts = "28.0"; })
