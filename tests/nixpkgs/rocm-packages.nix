# ROCm: the runtime, which says for which GPUs the libraries are built, and one of them.
{
  lib,
  newScope,
  stdenv,
}:
lib.makeScope newScope (
  self:
  let
    library =
      pname: extra:
      stdenv.mkDerivation (
        {
          inherit pname;
          version = "7.0.2";
          meta = {
            description = "Library ${pname} of ROCm";
            platforms = lib.platforms.linux;
            license = lib.licenses.mit;
          };
        }
        // extra
      );
  in
  {
    clr = self.callPackage (
      {
        localGpuTargets ? null,
      }:
      library "clr" {
        passthru = {
          gpuTargets = [
            "gfx900"
            "gfx906"
            "gfx908"
            "gfx90a"
            "gfx942"
            "gfx1010"
            "gfx1030"
            "gfx1100"
            "gfx1101"
            "gfx1102"
            "gfx1151"
            "gfx1200"
            "gfx1201"
          ];
        }
        // lib.optionalAttrs (localGpuTargets != null) { inherit localGpuTargets; };
      }
    ) { };

    rocblas = self.callPackage (
      {
        clr,
        gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
      }:
      library "rocblas" {
        cmakeFlags = [ (lib.cmakeFeature "GPU_TARGETS" (lib.concatStringsSep ";" gpuTargets)) ];
        passthru = {
          inherit gpuTargets;
        };
      }
    ) { };
  }
)
