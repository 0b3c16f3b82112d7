# hello-avx: avx
# Made by tvarc from input.tvar: matrix builds, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-92XBes42Umo+LrwtuH7imfRSLz4RFAnC3uAkAGQRbGk=
{ pkgs }:

let
  extended = pkgs.appendOverlays [
    # noted
    (
      final: prev:
      assert prev ? zlib || throw "overlay `noted`: this nixpkgs has no `zlib`";
      {
        zlib =
          assert
            prev ? zlib.overrideAttrs
            || throw "overlay `noted`: this nixpkgs has no package `zlib` with `.overrideAttrs`";
          prev.zlib.overrideAttrs (old: {
            note = ''
              ${toString (map (x: if builtins.isPath x then "${x}" else x) (prev.lib.toList (old.note or "")))}for AVX
            '';
          });
      }
    )
  ];

  scope =
    extended.callPackage
      (
        names@{
          hello ? null,
        }:
        names
      )
      { };
in
assert
  scope ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
scope.hello.overrideAttrs (old: {
  hint = "whole";
  meta = (old.meta or { }) // {
    longDescription = ''
      First.
      For the child, avx.
      The end.
      Last.'';
  };
})
