# sm80-less: Ampere (A100, A30), -1
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-VBNkCcCpKgtGs5gUtwwnX/wZaLsUQe4zjJ1YOPINH5g=
{
  hello,
  lib,
  xz,
  zlib,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  buildInputs = (old.buildInputs or [ ]) ++ [
    zlib
    xz
  ];
  configureFlags = lib.remove null (lib.toList (old.configureFlags or [ ])) ++ [
    "--enable-all"
    "--with-A100"
    "--capabilities=8.0"
  ];
  pairs = [
    "zlib-1"
    "zlib0"
    "xz-1"
    "xz0"
  ];
  offset = -1;
  many = [ (-1) ];
})
