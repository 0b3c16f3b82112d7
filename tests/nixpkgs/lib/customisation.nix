# `override`, `overrideAttrs`, `callPackage` and scopes, as nixpkgs has them.
{ lib }:
let
  inherit (builtins)
    attrNames
    filter
    functionArgs
    hasAttr
    intersectAttrs
    isAttrs
    isFunction
    ;

  # A set with a functor is a function too.
  argumentsOf =
    f: if f ? __functor then f.__functionArgs or (functionArgs (f.__functor f)) else functionArgs f;
in
{
  # Adds `override` to the result of `f`, and keeps an `overrideAttrs` through it: each is applied
  # again on top of the other.
  makeOverridable =
    f: arguments:
    let
      result = f arguments;
      changed = change: arguments // (if isFunction change then change arguments else change);
      override = change: lib.makeOverridable f (changed change);
      mapResult = g: lib.makeOverridable (args: g (f args)) arguments;
    in
    if isAttrs result then
      result
      // {
        inherit override;
      }
      // lib.optionalAttrs (result ? overrideAttrs) {
        overrideAttrs = change: mapResult (package: package.overrideAttrs change);
      }
    else if isFunction result then
      {
        inherit override;
        __functor = _: result;
        __functionArgs = functionArgs result;
      }
    else
      result;

  callPackageWith =
    scope: fileOrFunction: arguments:
    let
      isCallable = isFunction fileOrFunction || isAttrs fileOrFunction;
      f = if isCallable then fileOrFunction else import fileOrFunction;
      formals = argumentsOf f;
      given = intersectAttrs formals scope // arguments;
      missing = filter (name: !formals.${name} && !(hasAttr name given)) (attrNames formals);
    in
    if missing == [ ] then
      lib.makeOverridable f given
    else
      throw "Function called without required argument \"${builtins.head missing}\"";

  # A package set of its own, whose members find one another first and what `newScope` has second.
  makeScope =
    newScope: f:
    let
      self = f self // {
        newScope = extra: newScope (self // extra);
        callPackage = self.newScope { };
        overrideScope = overlay: lib.makeScope newScope (lib.extends overlay f);
        packages = f;
      };
    in
    self;

  # A derivation whose paths can't be asked for while `condition` throws; everything else can.
  extendDerivation =
    condition: extra: drv:
    let
      outputs = drv.outputs or [ "out" ];
      common =
        drv
        // builtins.listToAttrs (map named outputs)
        // {
          all = map (output: (named output).value) outputs;
        }
        // extra;
      named = output: {
        name = output;
        value =
          common
          // {
            inherit (drv.${output}) type outputName;
            outputSpecified = true;
            drvPath = assert condition; drv.${output}.drvPath;
            outPath = assert condition; drv.${output}.outPath;
          };
      };
    in
    common
    // {
      drvPath = assert condition; drv.drvPath;
      outPath = assert condition; drv.outPath;
    };
}
