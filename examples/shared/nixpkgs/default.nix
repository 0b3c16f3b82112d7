# A small nixpkgs that really builds, without a network: its compiler, its `make` and its other tools
# are those of the machine. It has what the recipes and the images of two examples use, under the names
# of the real nixpkgs.
{
  system ? builtins.currentSystem,
  config ? { },
  overlays ? [ ],
}:
let
  packages = final: {
    inherit config;
    lib.trivial.release = "24.11"; # what recipes may use is what that release has

    callPackage =
      file: given:
      let
        function = if builtins.isFunction file then file else import file;
        wanted = builtins.intersectAttrs (builtins.functionArgs function) final;
      in
      overridable function (wanted // given);

    stdenv = {
      hostPlatform.system = system;
      inherit mkDerivation;
    };

    runCommand =
      name: attributes: script:
      mkDerivation (attributes // { inherit name script; });

    writeText =
      name: text:
      final.runCommand name {
        inherit text;
        passAsFile = [ "text" ];
      } "cp $textPath $out";

    # The paths that other paths need when they run, and the size of all. Nix writes them to a file
    # of JSON in one line.
    closureInfo =
      { rootPaths }:
      derivation {
        name = "closure-info";
        inherit system;
        builder = "/bin/sh";
        __structuredAttrs = true;
        exportReferencesGraph.closure = rootPaths;
        args = [
          "-ec"
          ''
            export PATH=/usr/bin:/bin
            values() { grep -o "\"$1\":\"*[^\",]*" .attrs.json | sed "s/.*:\"*//"; }
            out=$(values out)
            mkdir "$out"
            values path | sort -u > "$out/store-paths"
            values narSize | awk "{ size += \$1 } END { print size }" > "$out/total-nar-size"
          ''
        ];
      };

    # The tools of the machine, each in a package: what runs later than the build is copied.
    busybox = final.runCommand "busybox-static" {
      meta.license = {
        spdxId = "GPL-2.0-only";
        fullName = "GNU General Public License v2.0 only";
      };
    } ''
      mkdir -p $out/bin
      cp /bin/busybox $out/bin
      ln -s busybox $out/bin/sh
    '';
    python3 = interpreter "python3" "PSF-2.0" "Python Software Foundation License version 2";
    pypy3 = interpreter "pypy3" "MIT" "MIT License";
    squashfsTools = final.runCommand "squashfs-tools" { } ''
      mkdir -p $out/bin
      ln -s /usr/bin/mksquashfs $out/bin/mksquashfs
    '';

    dockerTools.streamLayeredImage =
      {
        name,
        tag ? null,
        contents ? [ ],
        config ? { },
        maxLayers ? 100,
      }:
      let
        described = final.writeText "${baseNameOf name}.json" (
          builtins.toJSON {
            inherit config contents;
            layers = maxLayers - 1;
            tag = "${name}:${if tag == null then "latest" else tag}";
            closure = "${final.closureInfo { rootPaths = contents; }}/store-paths";
            architecture = if system == "aarch64-linux" then "arm64" else "amd64";
          }
        );
      in
      final.runCommand "stream-${baseNameOf name}" { } ''
        printf '%s\n' '#!/bin/sh' 'exec /usr/bin/python3 ${./image.py} ${described}' > $out
        chmod +x $out
      '';
  };

  # An interpreter of the machine. Images have no use for it: it is a link.
  interpreter =
    name: spdxId: fullName:
    let
      package = final.runCommand name { meta.license = { inherit spdxId fullName; }; } ''
        mkdir -p $out/bin
        ln -s /usr/bin/${name} $out/bin/${name}
      '';
    in
    package // { interpreter = "${package}/bin/${name}"; };

  overridable =
    function: given:
    function given
    // {
      override = more: overridable function (given // (if builtins.isFunction more then more given else more));
    };

  mkDerivation =
    attributes:
    let
      derived = derivation (
        {
          name = "${attributes.pname}-${attributes.version}";
          inherit system;
          builder = "/bin/sh";
          args = [
            "-e"
            ./builder.sh
          ];
        }
        // removeAttrs attributes [
          "env"
          "meta"
          "passthru"
        ]
        // attributes.env or { }
      );
      changed =
        change:
        let
          once = change attributes;
        in
        attributes // (if builtins.isFunction once then change derived attributes else once);
    in
    derived
    // attributes.passthru or { }
    // {
      meta = attributes.meta or { };
      passthru = attributes.passthru or { };
      overrideAttrs = change: mkDerivation (changed change);
    };

  fixed = builtins.foldl' (below: overlay: final: below final // overlay final (below final)) packages overlays;
  final = fixed final;
in
final
