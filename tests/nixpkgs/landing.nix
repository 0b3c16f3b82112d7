# Whether all markers are in a derivation: in its attributes, or in those of derivations that it is made
# from, `depth` steps down.
{ lib }:
let
  plainText = value: builtins.unsafeDiscardStringContext (toString value);

  # All names and values, as one text.
  textOf =
    depth: value:
    if builtins.isAttrs value then
      if lib.isDerivation value then
        if depth > 0 then attributesOf (depth - 1) value.drvAttrs or { } else ""
      else
        attributesOf depth value
    else if builtins.isList value then
      lib.concatMapStringsSep "\n" (textOf depth) value
    else if builtins.isFunction value then
      ""
    else
      plainText value;
  attributesOf =
    depth: attributes:
    lib.concatStringsSep "\n" (
      lib.mapAttrsToList (name: value: "${name}=${textOf depth value}") (
        removeAttrs attributes [ "stdenv" ]
      )
    );
in
{ markers, depth, ... }:
package:
let
  text = textOf (depth + 1) package;
in
lib.all (marker: builtins.replaceStrings [ marker ] [ "" ] text != text) markers
