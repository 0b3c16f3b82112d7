# `blas` and `lapack`: wrappers around a provider that an overlay may exchange.
{
  lib,
  stdenv,
  library,
  openblas,
  provider,
  isILP64 ? false,
}:
let
  implementation = lib.getName provider;
  supportsILP64 = implementation == "mkl" || (implementation == "openblas" && provider.blas64);
in
if isILP64 && !supportsILP64 then
  throw "${library}: provider ${implementation} has no interface with 64-bit integers"
else
  stdenv.mkDerivation {
    pname = library;
    version = "3";
    outputs = [
      "out"
      "dev"
    ];
    inherit isILP64 provider;
    passthru = {
      inherit implementation isILP64;
    };
    meta = {
      description = "${library} with ${implementation} as its implementation";
      platforms = lib.platforms.unix;
      license = provider.meta.license or lib.licenses.bsd3;
    };
  }
