# Licences and platforms.
let
  linux = [
    "aarch64-linux"
    "x86_64-linux"
  ];
  darwin = [
    "aarch64-darwin"
    "x86_64-darwin"
  ];
in
{
  licenses = {
    asl20 = {
      spdxId = "Apache-2.0";
      shortName = "asl20";
      free = true;
    };
    bsd3 = {
      spdxId = "BSD-3-Clause";
      shortName = "bsd3";
      free = true;
    };
    gpl3Plus = {
      spdxId = "GPL-3.0-or-later";
      shortName = "gpl3Plus";
      free = true;
    };
    mit = {
      spdxId = "MIT";
      shortName = "mit";
      free = true;
    };
    issl = {
      shortName = "issl";
      fullName = "Intel Simplified Software License";
      free = false;
    };
    nvidiaCuda = {
      shortName = "CUDA EULA";
      fullName = "CUDA Toolkit End User License Agreement (EULA)";
      free = false;
    };
    nvidiaCudnn = {
      shortName = "cuDNN EULA";
      fullName = "NVIDIA cuDNN Software License Agreement (EULA)";
      free = false;
    };
    unfree = {
      shortName = "unfree";
      free = false;
    };
  };

  platforms = {
    inherit linux darwin;
    aarch64 = [
      "aarch64-linux"
      "aarch64-darwin"
    ];
    all = linux ++ darwin;
    unix = linux ++ darwin;
    x86_64 = [
      "x86_64-linux"
      "x86_64-darwin"
    ];
  };

  # Recipes may name maintainers; nobody is known here.
  maintainers = { };

  systems.flakeExposed = linux ++ darwin;
}
