# child-avx2: avx2
# Made by tvarc from input.tvar: matrix children, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-So8vTDKM2/3tx2Bil024XgOMe7khbKwYFqj205bh69k=
{ cudaPackages, hello }:

hello.overrideAttrs (old: {
  preConfigure = (old.preConfigure or "") + ''
    set -x
    export CXXFLAGS="$CXXFLAGS"
    echo 2.0 > version.txt
    ln -sf ${cudaPackages.cuda_cccl}/include/cub /build/cub
    echo unnamed
  '';
  postInstall = ''
    true
  '';
  post-fixup = (old.post-fixup or "") + ''
    echo avx2
  '';
})
