{
  lib,
  buildPythonPackage,
  fetchFromGitHub,
  torch,
  revision,
  cudaSupport ? torch.cudaSupport,
}:
let
  inherit (torch) cudaCapabilities cudaPackages;
in
buildPythonPackage (finalAttrs: {
  pname = "torchaudio";
  version = revision.audioVersion;
  inherit (torch) stdenv;

  src = fetchFromGitHub {
    owner = "pytorch";
    repo = "audio";
    tag = "v${finalAttrs.version}";
    hash = "sha256-b1sjHVFXdNFDbdtXWSM2KisSRE/8IbzJI4rvzYQ4UMg=";
  };

  nativeBuildInputs = lib.optionals cudaSupport [ cudaPackages.cuda_nvcc ];
  buildInputs = [ torch ];
  dependencies = [ torch ];

  BUILD_SOX = "0";

  preConfigure = lib.optionalString cudaSupport ''
    export TORCH_CUDA_ARCH_LIST="${lib.concatStringsSep ";" cudaCapabilities}"
  '';

  passthru = {
    inherit cudaSupport torch;
  };
  _model = {
    inherit cudaSupport torch;
  };

  meta = {
    description = "PyTorch audio library";
    homepage = "https://pytorch.org/";
    license = lib.licenses.bsd3;
    platforms = lib.platforms.linux ++ lib.optionals (!cudaSupport) lib.platforms.darwin;
  };
})
