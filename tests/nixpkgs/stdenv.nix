# A standard environment: the derivation itself, its platform and its `mkDerivation`.
#
# The model's arguments (the pin above all) are part of the environment's own derivation, so that
# another pin gives every package another drvPath, as another nixpkgs would.
{
  lib,
  config,
  system,
  modelArgs,
  name ? "stdenv",
  compiler ? "gcc",
}:
let
  hostPlatform = import ./platform.nix { inherit lib system; };

  environment = derivation {
    name = "${name}-${hostPlatform.kernel}";
    inherit system compiler;
    builder = "/bin/sh";
    pin = modelArgs.url or "";
  };

  stdenv = environment // {
    inherit hostPlatform modelArgs;
    buildPlatform = hostPlatform;
    targetPlatform = hostPlatform;
    shell = "/bin/sh";
    cc = environment // {
      isGNU = compiler != "clang";
      isClang = compiler == "clang";
    };
    mkDerivation = import ./make-derivation.nix {
      inherit
        lib
        config
        system
        stdenv
        ;
    };
  };
in
stdenv
