{ pkgs }:
pkgs.callPackage (
  { stdenv, cmake, zlib, openssl, fetchurl, lib, ninja }:
  stdenv.mkDerivation {
    pname = "tool-@gpu@-@isa@";
    version = "2.1";
    src = fetchurl {
      url = "https://example.org/tool-2.1.tar.gz";
      hash = "@hash@";
    };
    nativeBuildInputs = [ cmake ninja ];
    buildInputs = [ zlib@openssl@ ];
    cmakeFlags = [
      "-DTARGET=@target@"
      "-DARCH=@cpu@"
      "-DCMAKE_BUILD_TYPE=Release"
    ];
    preConfigure = ''
      substituteInPlace CMakeLists.txt --replace native @cpu@
      mkdir -p build && cd build
    '';
    installPhase = ''
      runHook preInstall
      mkdir -p $out/bin
      cp tool $out/bin/tool-@isa@
      echo @gpu@ > $out/gpu
      runHook postInstall
    '';
    meta = {
      description = "Tool, @gpu@";
      platforms = [ "@platform@" ];
    };
  }
) { }
