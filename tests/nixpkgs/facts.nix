# What can be told of a package's derivation as JSON.
{ lib }:
let
  isPackageSet = value: value ? callPackage || value ? newScope;

  # A plain value without functions and package sets in it; a derivation is its name.
  plain =
    value:
    if builtins.isAttrs value then
      if lib.isDerivation value then
        value.name
      else
        lib.mapAttrs (_: plain) (lib.filterAttrs (_: isPlain) value)
    else if builtins.isList value then
      map plain (lib.filter isPlain value)
    else if builtins.isPath value then
      baseNameOf value
    else
      value;
  isPlain =
    value: !(builtins.isFunction value) && !(builtins.isAttrs value && isPackageSet value);

  # As the builder sees it in its environment.
  asVariable =
    value:
    if builtins.isPath value then
      "${value}"
    else if builtins.isList value then
      lib.concatMapStringsSep " " asVariable value
    else
      toString value;

  patchNames =
    package:
    map (patch: if builtins.isAttrs patch then patch.name else baseNameOf (toString patch)) (
      package.patches or [ ]
    );

  # PyTorch's own resolved arguments, of the package itself or of the PyTorch that it builds on.
  torchOf = package: package._model.torch or package;

  torchFacts =
    package:
    let
      torch = torchOf package;
      resolved = torch._model or { };
      magma = resolved.magma or null;
    in
    if resolved ? gpuTargets then
      removeAttrs resolved [ "magma" ]
      // {
        inherit (torch) version;
        patches = patchNames torch;
        magmaPatches = if magma == null then null else patchNames magma;
        magmaFlags = if magma == null then null else magma.cmakeFlags;
      }
    else
      null;

  # Phases and hooks are the attributes that are scripts.
  isScript =
    name: value:
    builtins.isString value
    && (lib.hasSuffix "Phase" name || lib.hasPrefix "pre" name || lib.hasPrefix "post" name);

  pinFacts =
    package:
    let
      arguments = package.stdenv.modelArgs;
    in
    {
      url = arguments.url or null;
      sha256 = arguments.sha256 or null;
      config = plain arguments.config;
      inherit (arguments) overlays;
    };
in
package: {
  inherit (package) drvPath name system;
  refusal = null;
  pname = package.pname or null;
  version = package.version or null;
  pin = pinFacts package;
  torch = torchFacts package;
  patches = patchNames package;
  src = if package ? src then package.src._model or { } else null;
  env = lib.mapAttrs (_: asVariable) (
    lib.filterAttrs (name: value: value != null && name != "__ignoreNulls") package.drvAttrs
  );
  phases = lib.filterAttrs isScript package.drvAttrs;
  cmakeFlags = map toString (package.cmakeFlags or [ ]);
  ninjaFlags = map toString (package.ninjaFlags or [ ]);
  requiredSystemFeatures = package.requiredSystemFeatures or [ ];
  passthru = plain package.passthru;
  meta = plain package.meta;
}
