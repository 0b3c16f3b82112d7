# hello-sse: sse
# Made by tvarc from input.tvar: matrix builds, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-/espERsVBqtcCpgxPO81zideCeeV6f/Ch1Lfbfl3loU=
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
            note = "${toString (map (x: if builtins.isPath x then "${x}" else x) (prev.lib.toList (old.note or "")))}";
          });
      }
    )
  ];

  scope =
    extended.callPackage
      (
        names@{
          hello ? null,
          zlib,
        }:
        names
      )
      { };
in
assert
  scope ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
scope.hello.overrideAttrs (old: {
  meta = (old.meta or { }) // {
    longDescription = ''
      First.
      For the child, sse.
      An old CPU, with '''quotes''' and ''${HOME}
        and ${scope.zlib}.
      The end.
      Last.'';
  };
})
