# FFmpeg for our own servers.
{ lib, ffmpeg, svt-av1 }:

(ffmpeg.override {
  withX264 = @x264@;
  withX265 = @x265@;
}).overrideAttrs (old: {
  pname = "ffmpeg-@name@-@cpu@";
  # GCC names the CPU, FFmpeg does not.
  env = (old.env or { }) // { NIX_CFLAGS_COMPILE = "-march=@march@"; };
  configureFlags = (old.configureFlags or [ ]) ++ [ "--enable-lto"@extra@ ];
  buildInputs = [ svt-av1 ] ++ (old.buildInputs or [ ]);
  meta = {
    description = "FFmpeg (@label@) for @march@";
    platforms = [ "x86_64-linux" ];
  };
})
