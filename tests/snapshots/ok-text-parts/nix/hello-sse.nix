# hello-sse: sse
# Made by tvarc from input.tvar: matrix builds, recipe child.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-dk8LgoeqVL4gwaWCefk8X7V/f3VAOPPhFxhAknTqi0A=
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
in
assert
  extended ? hello.overrideAttrs
  || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
extended.hello.overrideAttrs (old: {
  meta = (old.meta or { }) // {
    longDescription = ''
      First.
      For the child, sse.
      An old CPU, with '''quotes''' and ''${HOME}
        and ${extended.zlib}.
      The end.
      Last.'';
  };
})
