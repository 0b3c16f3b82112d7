# child-avx2: avx2
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-zsQWwhcjqwVxc3+7fMJnNg6LygV2svYXvSa27NarZwc=
{
  cudaPackages,
  hello,
  lib,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (old: {
  preConfigure = toString (old.preConfigure or "") + ''
    set -x
    export CXXFLAGS="$CXXFLAGS"
    echo 2.0 > version.txt
    ln -sf ${cudaPackages.cuda_cccl}/include/cub /build/cub
    echo unnamed
  '';
  postInstall = ''
    true
  '';
  post-fixup =
    toString (map (x: if builtins.isPath x then "${x}" else x) (lib.toList (old.post-fixup or "")))
    + ''
      echo avx2
    '';
})
