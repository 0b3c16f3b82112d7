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

  # It does without `jq`: Nix writes the closure to a file of JSON in one line.
  closureInfo =
    { rootPaths }:
    stdenv.mkDerivation {
      name = "closure-info";
      __structuredAttrs = true;
      exportReferencesGraph.closure = rootPaths;
      args = [
        "-ec"
        ''
          busybox() { /bin/busybox "$@"; }
          values() { busybox grep -o "\"$1\":\"*[^\",]*" .attrs.json | busybox sed "s/.*:\"*//"; }
          out=$(values out | busybox head -n 1)
          busybox mkdir "$out"
          values path > "$out/store-paths"
          values narSize | busybox awk "{ size += \$1 } END { print size }" > "$out/total-nar-size"
        ''
      ];
    };

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
