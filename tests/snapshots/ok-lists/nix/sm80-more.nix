# sm80-more: Ampere (A100, A30), 2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-oh/dvNK47A/H7wDkZk5RACrt6q97VbY26VW/XxBPiw0=
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
    "zlib2"
    "zlib0"
    "xz2"
    "xz0"
  ];
  offset = 2;
  many = [ 2 ];
})
