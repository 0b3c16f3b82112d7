# What callPackage hands, as nixpkgs' splice.nix has it: where packages are built for another machine,
# each also has the one for the machine that builds, and each list of dependencies takes its own.
{ lib, pkgs }:
let
  inherit (pkgs) buildPackages;

  splice =
    here: there:
    lib.mapAttrs (
      name: value:
      let
        other = there.${name} or { };
      in
      if lib.isDerivation value then
        value // lib.optionalAttrs (lib.isDerivation other) { __spliced.buildHost = other; }
      else if builtins.isAttrs value && !(value ? __functor) && builtins.isAttrs other then
        splice value other
      else
        value
    ) here;

  never = {
    inherit (pkgs)
      buildPackages
      lib
      pkgs
      stdenv
      ;
  };
in
if pkgs.stdenv.hostPlatform.config == pkgs.stdenv.buildPlatform.config then
  pkgs
else
  splice (removeAttrs pkgs (builtins.attrNames never)) buildPackages // never
