# Derivations that only run a script.
{ stdenv }:
rec {
  runCommand =
    name: attributes: buildCommand:
    stdenv.mkDerivation (
      {
        inherit name buildCommand;
        passAsFile = [ "buildCommand" ];
      }
      // attributes
    );

  writeText =
    name: text:
    runCommand name {
      inherit text;
      passAsFile = [
        "buildCommand"
        "text"
      ];
    } ''mv "$textPath" "$out"'';

  symlinkJoin =
    {
      name,
      paths,
      postBuild ? "",
      passthru ? { },
      meta ? { },
    }:
    runCommand name
      {
        inherit
          paths
          postBuild
          passthru
          meta
          ;
      }
      ''
        mkdir -p $out
        for path in $paths; do cp -rs "$path"/. $out/; done
        eval "$postBuild"
      '';

  # Tests look into `paths`.
  buildEnv =
    {
      name,
      paths,
      meta ? { },
    }:
    stdenv.mkDerivation {
      inherit name paths meta;
      passthru = { inherit paths; };
    };
}
