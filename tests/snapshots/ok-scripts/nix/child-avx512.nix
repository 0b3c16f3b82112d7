# child-avx512: avx512
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-uyfxMbhDcTk0GwF7a9RgVqLd9nETs6YCGc5dBMUEvVA=
{ cudaPackages, hello }:

hello.overrideAttrs (old: {
  preConfigure = (old.preConfigure or "") + ''
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
  post-fixup = (old.post-fixup or "") + ''
    echo avx512
  '';
})
