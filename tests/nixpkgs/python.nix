# A Python interpreter and its package set. `pythonPackagesExtensions` reach every set; `overrides`
# is one more extension, which a second `.override { overrides = …; }` replaces.
{
  lib,
  stdenv,
  callPackage,
  newScope,
  knowledge,
  ownSource,
  pythonPackagesExtensions,
  pythonVersion,
  # The interpreter that its packages are for: at the end of all overlays.
  self,
  packageOverrides ? (_: _: { }),
}:
let
  executable = "python${pythonVersion}";

  packagesFor =
    {
      overrides,
      python,
    }:
    let
      base = set: import ./python-packages.nix { inherit lib python knowledge ownSource; } set;
      extensions = lib.composeManyExtensions (pythonPackagesExtensions ++ [ overrides ]);
      f = lib.extends extensions base;
    in
    if knowledge.features.pythonScope then
      lib.makeScopeWithSplicing' { inherit newScope; } { inherit f; }
    else
      lib.fix (set: f set // { callPackage = newScope set; });

  interpreter = stdenv.mkDerivation {
    pname = "python3";
    version = pythonVersion;
    passthru = {
      inherit executable pythonVersion packageOverrides;
      libPrefix = executable;
      sitePackages = "lib/${executable}/site-packages";
      interpreter = "${interpreter}/bin/${executable}";
      pythonAtLeast = lib.versionAtLeast pythonVersion;
      pythonOlder = lib.versionOlder pythonVersion;
      inherit stdenv;
      # An environment of these packages, and of nothing else.
      withPackages =
        chosen:
        let
          paths = chosen interpreter.pkgs;
        in
        stdenv.mkDerivation {
          name = "python3-${pythonVersion}-env";
          inherit paths;
          passthru = { inherit paths; };
          meta.platforms = lib.platforms.unix;
        };
      pkgs = callPackage packagesFor {
        overrides = packageOverrides;
        python = self;
      };
    };
    meta = {
      description = "High-level dynamically-typed programming language";
      platforms = lib.platforms.unix;
    };
  };
in
interpreter
