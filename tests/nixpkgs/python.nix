# A Python interpreter and its package set. `pythonPackagesExtensions` reach every set; `overrides`
# is one more extension, which a second `.override { overrides = …; }` replaces.
{
  lib,
  stdenv,
  callPackage,
  newScope,
  pythonPackagesExtensions,
  pythonVersion,
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
      base = self: import ./python-packages.nix { inherit lib python; } self;
      extensions = lib.composeManyExtensions (pythonPackagesExtensions ++ [ overrides ]);
    in
    lib.makeScope newScope (lib.extends extensions base);

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
      pkgs = callPackage packagesFor {
        overrides = packageOverrides;
        python = interpreter;
      };
    };
    meta = {
      description = "High-level dynamically-typed programming language";
      platforms = lib.platforms.unix;
    };
  };
in
interpreter
