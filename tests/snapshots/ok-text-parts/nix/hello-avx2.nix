# hello-avx2: avx2
# Made by tvarc from input.tvar: matrix builds, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-Asad6OVD2aGcgHXgDkHJfaBfgY3ICmGEY94dYZ1GYOU=
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
        }:
        names
      )
      { };
in
assert
  scope ? hello.overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
scope.hello.overrideAttrs (old: {
  hint = "onetwo";
  meta = (old.meta or { }) // {
    longDescription = ''
      First.
      For the child, avx2.
      Last.'';
  };
})
