# sm90-less: Hopper (H100, H200, GH200), -1
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-RzrCxj2b/VUkPKwNnN/3SQ2YKeCCEtaKrn4HWb9zUQc=
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
    "--with-H100"
    "--with-H200"
    "--with-GH200"
    "--capabilities=8.0 9.0"
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
