# A small nixpkgs of our own, to judge emitted recipes with: the same fixed point of overlays, the
# same `override`s and the same refusals as the real one, around a few packages. Nothing is
# built or fetched, unless `modelArgs.builds` says so: a recipe is judged by the derivation that it
# gives.
{
  system ? builtins.currentSystem,
  localSystem ? system,
  crossSystem ? null,
  config ? { },
  overlays ? [ ],
  # How the model was reached, `{ url, sha256, … }` of the pin: see stdenv.nix.
  modelArgs ? { },
  # How old it is: see ages.nix.
  age ? modelArgs.age or null,
}@arguments:
let
  knowledge = import ./ages.nix { inherit age; };
  lib = import ./lib { inherit knowledge; };
  elaborated = given: if builtins.isAttrs given then given else { system = given; };
  checkedConfig = import ./config.nix { inherit lib config; };

  withOverlays =
    applied:
    let
      base = import ./all-packages.nix {
        inherit lib knowledge;
        config = checkedConfig;
        localSystem = elaborated localSystem;
        crossSystem = if crossSystem == null then null else elaborated crossSystem;
        # Where packages are for another machine: the same packages for the one that builds.
        forBuilding =
          if crossSystem == null then
            null
          else
            import ./default.nix {
              inherit
                localSystem
                config
                modelArgs
                age
                ;
              overlays = applied;
            };
        modelArgs = removeAttrs modelArgs [ "age" ] // {
          inherit config;
          overlays = builtins.length applied;
        };
        extend = more: withOverlays (applied ++ more);
      };
    in
    lib.fix (builtins.foldl' (packages: overlay: lib.extends overlay packages) base applied);

  checkedOverlays =
    if !(builtins.isList overlays) then
      throw "The overlays argument to nixpkgs must be a list."
    else
      overlays;
in
if arguments ? system && arguments ? localSystem then
  throw "nixpkgs takes `system` or `localSystem`, not both"
else
  withOverlays checkedOverlays
