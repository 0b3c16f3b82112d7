{
  lib,
  buildPythonPackage,
  fetchFromGitHub,
  numpy,
  pillow,
  torch,
  revision,
  cudaSupport ? torch.cudaSupport,
}:
let
  inherit (torch) cudaCapabilities cudaPackages;
in
buildPythonPackage (finalAttrs: {
  pname = "torchvision";
  version = revision.visionVersion;
  inherit (torch) stdenv;

  src = fetchFromGitHub {
    owner = "pytorch";
    repo = "vision";
    tag = "v${finalAttrs.version}";
    hash = "sha256-oktJHcT6T4f58pUO+HSBpbyS1ISH3zDlTsXQh6PcMy4=";
  };

  nativeBuildInputs = lib.optionals cudaSupport [ cudaPackages.cuda_nvcc ];
  buildInputs = [ torch ];
  dependencies = [
    numpy
    pillow
    torch
  ];

  preConfigure = ''
    export TORCHVISION_INCLUDE="${lib.getDev torch}/include"
    export TORCHVISION_LIBRARY="${lib.getLib torch}/lib"
  ''
  + lib.optionalString cudaSupport ''
    export TORCH_CUDA_ARCH_LIST="${lib.concatStringsSep ";" cudaCapabilities}"
    export FORCE_CUDA=1
  '';

  passthru = {
    inherit cudaSupport torch;
  };
  _model = {
    inherit cudaSupport torch;
  };

  meta = {
    description = "PyTorch vision library";
    homepage = "https://pytorch.org/";
    license = lib.licenses.bsd3;
    platforms = lib.platforms.linux ++ lib.optionals (!cudaSupport) lib.platforms.darwin;
  };
})
