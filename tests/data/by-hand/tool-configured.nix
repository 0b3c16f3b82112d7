{ pkgs, lib }:
let
  gpu = "@target@";
  flags = [ "-mcpu=@cpu@" "-fno-plt" ];
in
(pkgs.ffmpeg.override {
  withX264 = @other@;
  withX265 = @new@;
}).overrideAttrs (old: {
  pname = "tool-@gpu@-@isa@";
  cmakeFlags = (old.cmakeFlags or [ ]) ++ [
    "-DBUILD_FOR=${gpu}"
    "-DUSE_NVENC=@one@"
    "-DWITH_TESTS=0"
  ] ++ lib.optionals @arm@ [ "-DARM=1" "-DASM=neon" ];
  buildInputs = (old.buildInputs or [ ]) ++ [ pkgs.openssl pkgs.curl ];
  preConfigure = ''
    patchShebangs .
    export CXXFLAGS="${lib.concatStringsSep " " flags}"
    ./autogen.sh --target @gpu@
  '' + (old.preConfigure or "");
  postInstall = (old.postInstall or "") + ''
    install -m644 LICENSE $out/share/
    echo @gpu@ @isa@ > $out/share/built-for
    strip -s $out/bin/*
  '';
  doCheck = @other@;
  meta = (old.meta or { }) // {
    description = "The tool, @target@, with @cpu@";
    platforms = [ "@platform@" ];
  };
})
