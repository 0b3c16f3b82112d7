# v2: 2
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-1HRBxWSDP2U0Q3Vv0IRuXygvZB8QZ4BPE1aTmScTYCg=
{
  hello,
  lib,
  shared-input ? ./shared,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  x = "shared";
  src = shared-input + "/sub";
  patches = lib.remove null (lib.toList (old.patches or [ ])) ++ [
    (shared-input + "/sub/fix.patch")
  ];
  y = 2;
})
