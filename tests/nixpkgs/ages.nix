# What a nixpkgs of some age knows. An age is a release ("22.05"), "today" for the newest that is
# not released yet, or `{ release, without, with }`: a release less and with single features.
#
# A feature has the release that brought it, or that took it away. A release of which nobody knows
# whether it has a feature counts as without it, and is marked "unsure".
{
  age ? null,
}:
let
  # The nixpkgs that recipes are judged with when nobody names an age.
  usual = "26.05";
  newest = "26.11";

  since = {
    # mkDerivation
    env = "23.05";
    finalAttrs = "22.05"; # mkDerivation and overrideAttrs with functions of the end result
    overrideAttrsSet = "23.11"; # overrideAttrs { … }
    structuredAttrs = "23.05";
    nativeCheckInputs = "23.05"; # a list of inputs for checks; before, a variable like any other

    # fetchers
    gitHash = "22.05"; # of fetchgit, and so of fetchFromGitHub with submodules
    patchHash = "22.05";
    patchRelative = "22.05";
    fetchpatch2 = "22.11";
    githubTag = "25.05";

    # package sets
    pythonExtensions = "22.11"; # unsure: it may be in 22.05
    pythonScope = "21.05";
    scopeFinalFirst = "23.11"; # overrideScope (final: prev: …) of lib.makeScope
    perlScope = "23.05";
    luaScope = "22.11"; # unsure
    beamTop = "21.05"; # unsure: beamPackages can be extended
    llvmScope = "26.05"; # unsure: it may be in 25.11
    cudaScope = "22.05";

    # PyTorch
    torchName = "22.11"; # torch, which was pytorch
    torchTargets = "23.05"; # gpuTargets in place of cudaArchList
    torchStructured = "26.11"; # unsure since when

    # platforms
    localGcc = "21.05"; # localSystem.gcc.arch, which was localSystem.platform.gcc.arch

    # the library
    assertMsgThrows = "22.05";
    composeManyExtensions = "21.05";
    importTOML = "21.05";
    makeScopeWithSplicing = "21.05";
    warnIf = "21.05";
    getExe = "22.05";
    throwIf = "22.05";
    throwIfNot = "22.05";
    warnIfNot = "22.05";
    concatLines = "23.05";
    "getExe'" = "23.11";
    cmakeBool = "23.11";
    cmakeFeature = "23.11";
    "makeScopeWithSplicing'" = "23.11";
    toExtension = "24.11";
  };

  until = {
    scopePrime = "25.05"; # overrideScope' of lib.makeScope, from the first release on
  };

  # The names that a library without the feature of that name does not have.
  libraryNames = [
    "cmakeBool"
    "cmakeFeature"
    "composeManyExtensions"
    "concatLines"
    "getExe"
    "getExe'"
    "importTOML"
    "makeScopeWithSplicing"
    "makeScopeWithSplicing'"
    "throwIf"
    "throwIfNot"
    "toExtension"
    "warnIf"
    "warnIfNot"
  ];

  # Some of what a release has: the versions of Python and CUDA, and which of them is the usual one.
  contents = {
    "20.09" = {
      python = [
        "3.7"
        "3.8"
        "3.9"
      ];
      cuda = [
        "10.0"
        "10.1"
        "10.2"
      ];
      defaultPython = "3.8";
      defaultCuda = "10.2";
    };
    "21.05" = {
      python = [
        "3.7"
        "3.8"
        "3.9"
      ];
      cuda = [
        "10.1"
        "10.2"
        "11.2"
      ];
      defaultPython = "3.8";
      defaultCuda = "10.2";
    };
    "21.11" = {
      python = [
        "3.8"
        "3.9"
        "3.10"
      ];
      cuda = [
        "10.2"
        "11.2"
        "11.4"
      ];
      defaultPython = "3.9";
      defaultCuda = "11.4";
    };
    "22.05" = {
      python = [
        "3.8"
        "3.9"
        "3.10"
      ];
      cuda = [
        "11.4"
        "11.5"
        "11.6"
      ];
      defaultPython = "3.9";
      defaultCuda = "11.6";
    };
    "22.11" = {
      python = [
        "3.9"
        "3.10"
        "3.11"
      ];
      cuda = [
        "11.6"
        "11.7"
        "11.8"
      ];
      defaultPython = "3.10";
      defaultCuda = "11.7";
    };
    "23.05" = {
      python = [
        "3.9"
        "3.10"
        "3.11"
      ];
      cuda = [
        "11.7"
        "11.8"
        "12.0"
      ];
      defaultPython = "3.10";
      defaultCuda = "11.8";
    };
    "23.11" = {
      python = [
        "3.10"
        "3.11"
        "3.12"
      ];
      cuda = [
        "11.8"
        "12.1"
        "12.2"
      ];
      defaultPython = "3.11";
      defaultCuda = "11.8";
    };
    "24.05" = {
      python = [
        "3.10"
        "3.11"
        "3.12"
      ];
      cuda = [
        "11.8"
        "12.2"
        "12.3"
      ];
      defaultPython = "3.11";
      defaultCuda = "12.2";
    };
    "24.11" = {
      python = [
        "3.11"
        "3.12"
        "3.13"
      ];
      cuda = [
        "12.3"
        "12.4"
      ];
      defaultPython = "3.12";
      defaultCuda = "12.4";
    };
    "25.05" = {
      python = [
        "3.11"
        "3.12"
        "3.13"
      ];
      cuda = [
        "12.6"
        "12.8"
      ];
      defaultPython = "3.12";
      defaultCuda = "12.8";
    };
    "25.11" = {
      python = [
        "3.12"
        "3.13"
        "3.14"
      ];
      cuda = [
        "12.6"
        "12.8"
        "12.9"
        "13.0"
      ];
      defaultPython = "3.13";
      defaultCuda = "12.8";
    };
    "26.05" = {
      python = [
        "3.11"
        "3.12"
        "3.13"
      ];
      cuda = [
        "12.6"
        "12.8"
        "12.9"
        "13.0"
        "13.1"
      ];
      defaultPython = "3.13";
      defaultCuda = "12.8";
    };
    "26.11" = {
      python = [
        "3.12"
        "3.13"
        "3.14"
      ];
      cuda = [
        "12.6"
        "12.8"
        "12.9"
        "13.0"
        "13.1"
      ];
      defaultPython = "3.13";
      defaultCuda = "12.8";
    };
  };

  asked =
    if age == null then
      { release = usual; }
    else if builtins.isAttrs age then
      age
    else
      { release = age; };
  named = asked.release or usual;
  release = if named == "today" then newest else named;

  isFrom = first: builtins.compareVersions release first >= 0;
  usually =
    builtins.mapAttrs (_: isFrom) since // builtins.mapAttrs (_: last: !(isFrom last)) until;

  switched =
    value: names:
    builtins.listToAttrs (
      map (
        name:
        if usually ? ${name} then
          { inherit name value; }
        else
          throw "the model has no feature '${name}'"
      ) names
    );
  features =
    usually // switched false (asked.without or [ ]) // switched true (asked."with" or [ ]);
in
if !(contents ? ${release}) then
  throw "the model has no age '${release}'"
else
  {
    inherit release features;
    inherit (contents.${release})
      cuda
      defaultCuda
      defaultPython
      python
      ;
    missingFromLibrary = builtins.filter (name: !features.${name}) libraryNames;
    # For tests that go through all of them.
    releases = builtins.attrNames contents;
    featureNames = builtins.attrNames usually;
  }
