# `override`, `overrideAttrs`, `callPackage` and scopes, as nixpkgs has them.
{ lib, features }:
let
  inherit (builtins)
    attrNames
    filter
    hasAttr
    intersectAttrs
    isAttrs
    isFunction
    ;
in
{
  # Adds `override` to the result of `f`, and keeps an `overrideAttrs` through it: each is applied
  # again on top of the other.
  makeOverridable =
    f: arguments:
    let
      result = f arguments;
      changed = change: arguments // (if isFunction change then change arguments else change);
      # It tells what it takes, as the function that it calls again.
      override = lib.setFunctionArgs (change: lib.makeOverridable f (changed change)) (
        lib.functionArgs f
      );
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
        __functionArgs = lib.functionArgs result;
      }
    else
      result;

  callPackageWith =
    scope: fileOrFunction: arguments:
    let
      isCallable = isFunction fileOrFunction || isAttrs fileOrFunction;
      f = if isCallable then fileOrFunction else import fileOrFunction;
      formals = lib.functionArgs f;
      given = intersectAttrs formals scope // arguments;
      missing = filter (name: !formals.${name} && !(hasAttr name given)) (attrNames formals);
    in
    if missing == [ ] then
      lib.makeOverridable f given
    else
      throw "Function called without required argument \"${builtins.head missing}\"";

  # A package set of its own, whose members find one another first and what `newScope` has second.
  # `overrideScope` took its arguments in the other order for long, and `overrideScope'` in this one.
  makeScope =
    newScope: f:
    let
      changed = overlay: lib.makeScope newScope (lib.extends overlay f);
      self =
        f self
        // {
          newScope = extra: newScope (self // extra);
          callPackage = self.newScope { };
          overrideScope =
            if features.scopeFinalFirst then
              changed
            else
              overlay:
              builtins.trace "warning: overrideScope takes (super: self: …), use overrideScope'" (
                changed (lib.flip overlay)
              );
          packages = f;
        }
        // lib.optionalAttrs features.scopePrime { "overrideScope'" = changed; };
    in
    self;

  # A package set that is spliced for cross-compilation: it has one `overrideScope`, which never
  # took its arguments in another order. `keep` are members that overlays do not reach.
  makeScopeWithSplicing =
    _splices: newScope: keep: _extra: f:
    lib.makeScopeWithSplicing' { inherit newScope; } {
      inherit keep f;
    };
  "makeScopeWithSplicing'" =
    { newScope, ... }:
    {
      keep ? (_: { }),
      f,
      ...
    }:
    let
      self =
        f self
        // {
          newScope = extra: newScope (self // extra);
          callPackage = self.newScope { };
          overrideScope =
            overlay:
            lib.makeScopeWithSplicing' { inherit newScope; } {
              inherit keep;
              f = lib.extends overlay f;
            };
          packages = f;
        }
        // keep self;
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
