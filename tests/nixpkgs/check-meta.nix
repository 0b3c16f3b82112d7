# Why a derivation may not be used here: a sentence, or null if it may.
{ lib, config }:
let
  isUnfree = license: lib.any (l: builtins.isAttrs l && !(l.free or true)) (lib.toList license);

  licenseNames =
    license:
    lib.concatMapStringsSep " " (l: l.shortName or l.fullName or "unknown") (lib.toList license);

  metaTypes = {
    broken = "bool";
    description = "string";
    longDescription = "string";
    mainProgram = "string";
    platforms = "list";
    badPlatforms = "list";
    maintainers = "list";
    priority = "int";
  };

  badlyTyped =
    meta: lib.filter (name: builtins.typeOf meta.${name} != metaTypes.${name}) (
      lib.attrNames (lib.intersectAttrs metaTypes meta)
    );

  quoted = values: "[ ${lib.concatMapStringsSep " " (v: "\"${toString v}\"") values} ]";
in
hostPlatform: attrs:
let
  meta = attrs.meta or { };
  inherit (hostPlatform) system;
  mistyped = badlyTyped meta;
  unfreeAllowed = config.allowUnfree || config.allowUnfreePredicate attrs;
  platforms = meta.platforms or [ system ];
in
if mistyped != [ ] then
  "has an invalid meta attrset: ${lib.concatStringsSep ", " mistyped}"
else if meta ? license && isUnfree meta.license && !unfreeAllowed then
  "has an unfree license (‘${licenseNames meta.license}’)"
else if (meta.broken or false) && !config.allowBroken then
  "is marked as broken"
else if
  !config.allowUnsupportedSystem
  && (!(lib.elem system platforms) || lib.elem system (meta.badPlatforms or [ ]))
then
  "is not available on the requested hostPlatform:"
  + " hostPlatform.system = \"${system}\", package.meta.platforms = ${quoted platforms}"
else
  null
