# v1: 1
# Made by tvarc from input.tvar: matrix m, recipe r.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Ue/UAqutpgNtc9AbVgKc2iv9OQutLNo12RWteAPC7Ro=
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
  y = 1;
})
