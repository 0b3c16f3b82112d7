# A standard environment: the derivation itself, its platform and its `mkDerivation`.
#
# The model's arguments (the pin above all) are part of the environment's own derivation, so that
# another pin gives every package another drvPath, as another nixpkgs would. With `builds` among them
# derivations can be built, by a shell alone.
{
  lib,
  config,
  knowledge,
  localSystem,
  crossSystem,
  modelArgs,
  name ? "stdenv",
  compiler ? "gcc",
}:
let
  inherit (localSystem) system;
  buildPlatform = import ./platform.nix {
    inherit lib;
    given = localSystem;
  };
  hostPlatform =
    if crossSystem == null then
      buildPlatform
    else
      import ./platform.nix {
        inherit lib;
        given = crossSystem;
      };

  # The architecture that the compiler is made for. Where it was read has changed; what stands in
  # the other place is without effect.
  march =
    (if knowledge.features.localGcc then hostPlatform else hostPlatform.platform or { })
    .gcc.arch or null;

  environment = derivation (
    {
      name = "${name}-${hostPlatform.kernel}";
      inherit system compiler;
      builder = "/bin/sh";
      pin = modelArgs.url or "";
    }
    // lib.optionalAttrs (march != null) { inherit march; }
    // lib.optionalAttrs (crossSystem != null) { host = hostPlatform.config; }
    // lib.optionalAttrs (modelArgs.builds or false) { args = [ "-c" "echo > $out" ]; }
  );

  derivations = import ./make-derivation.nix {
    inherit
      lib
      config
      system
      stdenv
      ;
    inherit (knowledge) features;
  };

  stdenv = environment // {
    inherit buildPlatform hostPlatform modelArgs;
    targetPlatform = hostPlatform;
    shell = "/bin/sh";
    cc = environment // {
      isGNU = compiler != "clang";
      isClang = compiler == "clang";
    };
    inherit (derivations) mkDerivation;
    _model.mkDerivation = derivations.ofModel;
  };
in
stdenv
