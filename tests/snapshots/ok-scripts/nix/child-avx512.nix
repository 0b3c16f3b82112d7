# child-avx512: avx512
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-z7ABw6RC2Y18XuQCVPP6PJKhY+Bwvv9CWRKpy415Wvc=
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
    export USE_AVX512=1
    echo unnamed
  '';
  postInstall = ''
    true
  '';
  post-fixup =
    toString (map (x: if builtins.isPath x then "${x}" else x) (lib.toList (old.post-fixup or "")))
    + ''
      echo avx512
    '';
})
