{ pkgs }:
pkgs.ffmpeg.overrideAttrs (old: {
  pname = "tool-@gpu@-@isa@";
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DUSE_CUDA=ON"
    "-DCUDA_ARCHITECTURES=@target@"
    "-DUSE_NATIVE=OFF"
    "@option@"
  ];
  buildInputs = (old.buildInputs or [ ]) ++ [ pkgs.zlib@numactl@ ];
  preConfigure = (old.preConfigure or "") + ''
    export CFLAGS="-O3 -march=@cpu@"
    export CUDAARCHS=@target@
    echo "building for @gpu@"
  '';
  postInstall = (old.postInstall or "") + ''
    ln -s ffmpeg $out/bin/tool-@gpu@
    rm -rf $out/include
  '';
  meta = (old.meta or { }) // {
    description = "Tool for @gpu@ on @isa@, quick";
    platforms = [ "@platform@" ];
  };
})
