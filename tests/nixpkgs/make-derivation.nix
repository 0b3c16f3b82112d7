# `stdenv.mkDerivation`: attributes become a real derivation, with checks on what nixpkgs checks.
{
  lib,
  config,
  system,
  stdenv,
  features,
}:
let
  inherit (builtins)
    attrNames
    elem
    filter
    intersectAttrs
    isAttrs
    isBool
    isFunction
    isInt
    isList
    isPath
    isString
    removeAttrs
    typeOf
    ;

  refusalOf = import ./check-meta.nix { inherit lib config; };

  dependencyLists = [
    "buildInputs"
    "depsBuildBuild"
    "nativeBuildInputs"
    "propagatedBuildInputs"
    "propagatedNativeBuildInputs"
  ];

  forBuilder = [
    "nativeBuildInputs"
    "propagatedNativeBuildInputs"
  ];

  # Attributes that are for Nix to read, and not for the builder. `_model` holds what this model's
  # own tests look at.
  notForBuilder = [
    "_model"
    "checkInputs"
    "meta"
    "passthru"
    "pos"
  ]
  ++ lib.optional features.env "env"
  ++ lib.optional features.nativeCheckInputs "nativeCheckInputs";

  nameOf = attrs: attrs.name or "${attrs.pname}-${attrs.version}";

  checkedDependencies =
    attrs: list:
    if !(isList attrs.${list}) then
      throw "${list} of ${nameOf attrs} is not a list but a ${typeOf attrs.${list}}"
    else
      lib.flatten (
        map (
          dependency:
          if
            dependency == null
            || isList dependency
            || isString dependency
            || isPath dependency
            || (isAttrs dependency && dependency ? outPath)
          then
            # A list of tools takes the package for the machine that builds.
            if elem list forBuilder then dependency.__spliced.buildHost or dependency else dependency
          else
            throw (
              "Dependency is not of a valid type: "
              + "an element of ${list} for ${nameOf attrs} is a ${typeOf dependency}"
            )
        ) attrs.${list}
      );

  checkedEnv =
    attrs: forBuilder:
    let
      env = attrs.env or { };
      overlapping = attrNames (intersectAttrs forBuilder env);
      valid = value: isString value || isBool value || isInt value || lib.isDerivation value;
      invalid = filter (name: !(valid env.${name})) (attrNames env);
    in
    if overlapping != [ ] then
      throw (
        "The `env` attribute set cannot contain any attributes passed to derivation."
        + " The following attributes are overlapping: ${lib.concatStringsSep ", " overlapping}"
      )
    else if invalid != [ ] then
      throw (
        "The `env` attribute set can only contain derivation, string, boolean or integer attributes."
        + " The following are of another type: ${lib.concatStringsSep ", " invalid}"
      )
    else
      env;

  derivationArguments =
    attrs:
    let
      used = filter (list: attrs ? ${list}) dependencyLists;
      # What is built for another machine is not checked.
      runsHere = stdenv.hostPlatform.config == stdenv.buildPlatform.config;
      # What is for checks is an input where something is checked, and nothing elsewhere.
      forChecks =
        attrs.checkInputs or [ ]
        ++ lib.optionals features.nativeCheckInputs (attrs.nativeCheckInputs or [ ]);
      checked = lib.optionalAttrs (attrs.doCheck or false && runsHere && forChecks != [ ]) {
        nativeBuildInputs = checkedDependencies (
          attrs // { nativeBuildInputs = attrs.nativeBuildInputs or [ ] ++ forChecks; }
        ) "nativeBuildInputs";
      };
      forBuilder =
        removeAttrs attrs notForBuilder
        // lib.genAttrs used (checkedDependencies attrs)
        // checked
        // {
          name = nameOf attrs;
          inherit system stdenv;
          builder = attrs.builder or stdenv.shell;
          args =
            attrs.args or (
              if stdenv.modelArgs.builds or false then
                [ "-c" (builtins.readFile ./builder.sh) ]
              else
                [
                  "-e"
                  "default-builder"
                ]
            );
          outputs = attrs.outputs or [ "out" ];
          patches = attrs.patches or [ ];
          doCheck = attrs.doCheck or false && runsHere;
          doInstallCheck = attrs.doInstallCheck or false && runsHere;
          strictDeps = attrs.strictDeps or false;
          __ignoreNulls = true;
        };
      env = checkedEnv attrs forBuilder;
    in
    # Where nobody knows `env`, it is an attribute as any other, and Nix cannot make a string of it.
    # With structured attributes it stays a set, of all that is to be exported.
    if !features.env then
      forBuilder
    else if attrs.__structuredAttrs or false then
      forBuilder // { inherit env; }
    else
      forBuilder // env;

  makeSimple =
    overrideAttrs: attrs:
    let
      refusal = refusalOf stdenv.hostPlatform (attrs // { name = nameOf attrs; });
      refused = throw "Package ‘${nameOf attrs}’ ${refusal}, refusing to evaluate.";
      extra = {
        inherit overrideAttrs refusal;
        passthru = attrs.passthru or { };
        meta = {
          name = nameOf attrs;
          available = refusal == null;
          broken = false;
        }
        // attrs.meta or { };
        _model = attrs._model or { };
      };
    in
    lib.extendDerivation (refusal == null || refused) (extra // extra.passthru) (
      derivation (derivationArguments attrs)
    );

  makeExtensible =
    recursive:
    let
      attributes = recursive (attributes // { inherit finalPackage overrideAttrs; });
      overrideAttrs =
        change:
        makeExtensible (
          final:
          let
            prev = recursive final;
          in
          prev // changeOf change final prev
        );
      finalPackage = makeSimple overrideAttrs attributes;
    in
    finalPackage;

  # What a nixpkgs of this age takes; what it does not is Nix's own error of types.
  changeOf =
    change: final: prev:
    let
      once = change prev;
    in
    if features.overrideAttrsSet && !(isFunction change) then
      change
    else if features.finalAttrs && isFunction once then
      change final prev
    else
      once;

  # The model's own packages are written in the newest way at every age.
  ofModel =
    attributes: makeExtensible (if isFunction attributes then attributes else _: attributes);
in
{
  inherit ofModel;
  mkDerivation = if features.finalAttrs then ofModel else attributes: makeExtensible (_: attributes);
}
