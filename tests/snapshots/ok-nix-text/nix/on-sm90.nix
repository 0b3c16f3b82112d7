# on-sm90: the "$" of 'it' is \ ${x}
# Made by tvarc from input.tvar: matrix m, recipe hello.
# Change that file and run `tvarc build`; do not edit this one.
# tvarc digest: sha256-NvZDVTzzqdH4MsQW8Pb1hgnKTgNJVD0i8ckDXIC3TPE=
names@{
  hello,
  lib,
  writeText,
  zlib,
  sm90 ? null,
}:

assert hello ? overrideAttrs || throw "this nixpkgs has no package `hello` with `.overrideAttrs`";
hello.overrideAttrs (_: {
  code = (lib.optionals (lib.elem "9.0" [ ]) [ "sm90" { threads = 8; tests = false; note = null; "odd key" = { of = [ 1 "sm90" ]; }; } ]);
  quoted =
    let
      pkgs = { inherit writeText zlib; };
    in
    (pkgs.writeText "gpu-sm90" "the \"$\" of 'it'\nis \\ \${x} ${pkgs.zlib} $sm90 {{gpu}}");
  block =
    let
      pkgs = { inherit zlib; };
    in
    (''
  ${"the \"$\" of 'it'\nis \\ \${x}"}
    ${pkgs.zlib}/sm90 '${"the \"$\" of 'it'\nis \\ \${x}"}' $sm90 ''$sm90 $$sm90 {{gpu}}
  ${lib.concatStringsSep "," [ ]} ${""} ${ "sm90" }
'');
  path =
    let
      pkgs = names;
    in
    ({ "sm90" = pkgs."sm90".out or null; a."sm90".b = (./. + "/a file/b"); });
  comment = ([
  # {{gpu}} is no value here, nor is {{
  1 /* {{nothing}} */ "sm90"
]);
  late = (lib.toUpper "n-sm90" + "on-sm90 8");
  named = "n-sm90";
})
