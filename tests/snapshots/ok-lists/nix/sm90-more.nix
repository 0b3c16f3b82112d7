# sm90-more: Hopper (H100, H200, GH200), 2
# Made by tvarc from input.tvar: matrix builds, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-ZGtjTPJe6Xt5n5i6TLa1pXe+mxFE7VsvsTjhHfECuRc=
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
    "zlib2"
    "zlib0"
    "xz2"
    "xz0"
  ];
  offset = 2;
  many = [ 2 ];
})
