# The configuration with its defaults; a known setting of the wrong type is refused, an unknown one
# is kept, as in nixpkgs.
{ lib, config }:
let
  given = if builtins.isFunction config then config { inherit lib; } else config;

  defaults = {
    allowAliases = true;
    allowBroken = false;
    allowUnfree = false;
    allowUnfreePredicate = _: false;
    allowUnsupportedSystem = false;
    cudaCapabilities = [ ];
    cudaForwardCompat = false;
    cudaSupport = false;
    rocmSupport = false;
  };

  checked =
    name: value:
    let
      expected = builtins.typeOf defaults.${name};
      actual = builtins.typeOf value;
    in
    if defaults ? ${name} && actual != expected then
      throw "A definition for option `${name}' is not of type `${expected}': it is a ${actual}."
    else
      value;
in
defaults // builtins.mapAttrs checked given
