"""Recipes."""

from __future__ import annotations

from support.rules import (
    HASH,
    OF_N,
    OUTPUT,
    PIN,
    REV,
    all_of,
    attrs,
    body,
    chain,
    each,
    emits,
    fine,
    first,
    held,
    makes,
    over,
    refused,
    row,
    rule,
    says,
    table,
    told,
    top,
)

FLAG = "flag f: bool = true\nattrs { x = f }"
F = {"f.nix": ""}
INPUT = f'input i {{ github = "a/b", rev = "{REV}", hash = "{HASH}" }}'
PIN_A = PIN.replace(" }\n", "\nconfig { a = 1, b = 2 } }\n")

LIBS = """
recipe lib {
  package = pkgs.zlib
  attrs { version = 1.2, pname = "lib-{{gpu.label}}", list += ["x"], GPU = gpu.label }
  meta  { description = "of {{variant}}" }
}
matrix libs { recipe = lib, axes = gpu, name = "lib-{{gpu}}" }
matrix wide {
  recipe = lib
  axes   = release * gpu
  name   = "{{release}}-{{gpu}}"
  attrs { release = release.version }
  exclude release == three and gpu == a because "three is not done"
}
recipe plain { package = pkgs.curl, attrs { GPU = gpu.label } }
"""
LOOSE = 'recipe free extends plain { pin = none }\nmatrix loose { recipe = free, axes = gpu, name = "loose-{{gpu}}" }\n'
OTHERS = (
    'use "./other.tvar" as other\nrecipe odd { package = pkgs.curl }\n'
    'matrix others { recipe = odd, axes = other.gpu, name = "other" }\n'
)


def needing(items: str, more: str = "", *, head: str = "", name: str = "app-{{gpu}}") -> str:
    """A recipe of *items*, which may need `libs`, over the same axis, or `wide`, over releases too;
    `plain` is a recipe without a matrix."""
    package = "" if head else "package = pkgs.hello\n"
    others = (LOOSE if "loose" in items else "") + (OTHERS if "= others" in items else "")
    return top(
        'axis gpu { a { label = "A", size = 1 }, b { label = "B", size = 2 } }\n'
        "axis release { one { version = 1.0 }, two { version = 2.0 }, three { version = 3.0 } }\n"
        f"recipe app{head} {{\n{package}{items}\n}}\n"
        f'matrix apps {{ recipe = app, axes = gpu, name = "{name}" }}\n{more}\n{LIBS}{others}'
    )


CURLS = (
    'matrix curls { recipe = plain, axes = gpu, name = "{{if gpu == a then "NAME" else "of-b"}}" }'
)
DOUBLED = "needs lib = r0\nattrs { x = needs.lib }"


def doubled(times: int) -> str:
    """Recipes of which each needs the next one twice, *times* over."""
    two = "recipe r{} {{ package = pkgs.curl, needs a = r{}, needs b = r{}\nattrs {{ x = [needs.a, needs.b] }} }}\n"
    found = [two.format(n, n + 1, n + 1) for n in range(times)]
    return "".join(found) + f"recipe r{times} {{ package = pkgs.zlib }}\n"


LIBRARY = {
    "lib.tvar": """
facts chips (label: string) { p { label = "P" }, q { label = "Q" } }
axis chip: chips
recipe lib { package = pkgs.zlib }
matrix libs { recipe = lib, axes = chip, name = "lib-{{chip}}" }
recipe app { package = pkgs.hello, needs lib = libs, attrs { x = needs.lib.variant } }
"""
}
EXTENDED = f"""{PIN}
use "./lib.tvar"
axis chip = chips[p, q]
matrix apps {{ recipe = app, axes = chip, name = "app-{{{{chip}}}}" }}
"""

TABLES = (
    table(
        "Recipes",
        *told(
            "With a recipe you say how to build a package: which package, which nixpkgs, what to change,"
        ),
        *told("`needs n = …` | the build of another recipe, [see below](#what-a-recipe-needs) |"),
        rule(
            "A recipe says what one variant is made from.",
            row("recipe", body("attrs { x = 1 }"), emits("pinned.hello.overrideAttrs")),
        ),
        rule(
            "It may extend one other recipe: `extends base`, or `extends shared.base` for a recipe of a",
            row(
                "extends",
                chain("attrs { x = 1 }", ""),
                all_of(first("attrs.x", "1"), first("recipes", "base child")),
            ),
            row(
                "extends-of-module",
                top(
                    'use "./lib.tvar" as lib\nrecipe child extends lib.base { }\nvariant v { recipe = child }'
                ),
                first("attrs.x", "1"),
                files={"lib.tvar": "recipe base { package = pkgs.hello, attrs { x = 1 } }\n"},
            ),
            row(
                "extends-two",
                top(
                    "recipe a { package = pkgs.hello }\nrecipe b { package = pkgs.hello }\nrecipe child extends a, b { }"
                ),
                refused("E101", ","),
            ),
            row(
                "extends-itself",
                top("recipe child extends child { package = pkgs.hello }"),
                refused("E205"),
            ),
            row(
                "extends-no-recipe",
                top("let base = 1\nrecipe child extends base { package = pkgs.hello }"),
                refused("E301", "base"),
            ),
        ),
        rule(
            "the package to build: `pkgs.NAME`, a [file](#packages-of-files) or a `call`; required, in the",
            *[
                row(f"package-of-set-{number}", body(f"package = {name}"), refused("E301"))
                for number, name in enumerate(
                    (
                        "pkgs",
                        "caller",
                        "pkgs.lib",
                        "pkgs.python3Packages",
                        "pkgs.python38.pkgs",
                        "pkgs.gst_all_1",
                        "pkgs.haskell.packages.ghc88",
                        "caller.perlPackages",
                    )
                )
            ],
            *[
                row(f"package-in-set-{number}", body(f"package = {name}"), fine)
                for number, name in enumerate(
                    (
                        "pkgs.python3",
                        "pkgs.python3Packages.python",
                        "pkgs.gst_all_1.gstreamer",
                        "pkgs.python3Packages.lib",
                        "pkgs.texlive.combined",
                        "pkgs.pkgsStatic.curl",
                        "pkgs.haskell.packages.ghc884.lens",
                    )
                )
            ],
            row("package", body("package = pkgs.zlib"), first("package", "pkgs.zlib")),
            row("package-of-parent", chain("", ""), first("package", "pkgs.hello")),
            row(
                "package-of-child", chain("", "package = pkgs.zlib"), first("package", "pkgs.zlib")
            ),
            row(
                "package-missing",
                top("recipe child { attrs { x = 1 } }\nvariant v { recipe = child }"),
                refused("E507", "child"),
            ),
            row(
                "package-unused-recipe",
                top(
                    "recipe child { package = pkgs.hello }\nrecipe other { attrs { x = 1 } }\nvariant v { recipe = child }"
                ),
                fine,
            ),
        ),
        rule(
            "`scope = pkgs.SET` | the package set whose callPackage passes the packages, [see below](#scopes-what-pkgsname-means)",
            row("scope-item", body("scope = pkgs.ps"), first("scope", "pkgs.ps")),
        ),
        rule(
            "which nixpkgs |",
            row("pin", body("pin = p"), first("pin", "p")),
            row("pin-none", body("pin = none"), first("pin", "none")),
        ),
        rule(
            "overlays and patches, in the order in which they apply |",
            row(
                "overlays",
                body("overlays = [b, a]", "overlay a { x = 1 }\noverlay b { y = 1 }"),
                all_of(
                    first("overlays", "b a"),
                    emits("# b (final: prev: { y = 1; }) # a (final: prev: { x = 1; })"),
                ),
            ),
            row(
                "overlays-added",
                chain(
                    "overlays = [a]", "overlays += [b]", "overlay a { x = 1 }\noverlay b { y = 1 }"
                ),
                first("overlays", "a b"),
            ),
        ),
        rule(
            "`config { }` | added to the pin's `config` |",
            row(
                "config",
                body("config { b = 3, c = 4 }", PIN_A),
                emits("config = { a = 1; b = 3; c = 4; };"),
            ),
        ),
        rule(
            "arguments of the package: `.override` |",
            row("args", body("args { x = 1 }"), emits("pinned.hello.override { x = 1; }")),
        ),
        rule(
            "attributes of the derivation: `.overrideAttrs` |",
            row("attrs", attrs("x = 1"), emits("pinned.hello.overrideAttrs (_: { x = 1; })")),
        ),
        rule(
            "the derivation's `env` |",
            row("env", body('env { A = "1" }'), emits('(old.env or { }) // { A = "1"; }')),
        ),
        rule(
            "a phase, hook or other script, in [parts](#9-scripts) |",
            row("script", body('script preConfigure { part a "A" }'), emits("preConfigure = ")),
        ),
        rule(
            "added to the package's own |",
            row(
                "passthru",
                body("passthru { a = 1 }"),
                emits("passthru = (old.passthru or { }) // { a = 1; };"),
            ),
            row("meta", body("meta { a = 1 }"), emits("meta = (old.meta or { }) // { a = 1; };")),
        ),
        rule(
            "a name, for this recipe and the recipes that extend it |",
            row("let", body("let k = 1\nattrs { x = k }"), first("attrs.x", "1")),
            row("let-of-parent", chain("let k = 1", "attrs { x = k }"), first("attrs.x", "1")),
            row("let-of-child", chain("attrs { x = k }", "let k = 1"), refused("E201", "k")),
        ),
        rule("a switch, see below |", row("flag", body(FLAG), first("flags.f", "true"))),
        rule(
            "items for the variants in which `C` is true |",
            row("when", body("when n == 1 { attrs { x = 1 } }"), each("attrs.x", "1", "absent")),
        ),
        rule(
            "[checks](#12-checks) on this recipe's variants |",
            row("require", body('require n == 1 because "so"'), refused("E405")),
            row(
                "require-of-other",
                body("") + 'recipe other { package = pkgs.hello, require n == 1 because "so" }\n',
                fine,
            ),
        ),
        rule(
            "`env`, `passthru` and `meta` have blocks of their own and are not in `attrs`.",
            *[
                row(f"attrs-{block}", attrs(f"{block} = {{ a = 1 }}"), refused("E210"))
                for block in ("env", "passthru", "meta")
            ],
            *[
                row(f"attrs-{block}-key", attrs(f"{block}.a = 1"), refused("E210"))
                for block in ("env", "passthru", "meta")
            ],
        ),
        rule(
            "In all blocks, `a.b = x` sets one key of a record. In the recipe, `x.a = …` is short",
            *[
                row(
                    f"key-in-{block}",
                    body(f"{block} {{ a.b = 1, a.c = 2 }}"),
                    first(
                        f"{block}.a",
                        ("old // " if block in ("attrs", "passthru", "meta") else "")
                        + "{ b = 1, c = 2 }",
                    ),
                )
                for block in ("args", "attrs", "passthru", "meta", "config")
            ],
            row(
                "block-by-path",
                body("attrs.x = 1\nattrs.y.z = 2"),
                all_of(first("attrs.x", "1"), first("attrs.y", "old // { z = 2 }")),
            ),
            row("block-by-path-added", body("attrs.x += [1]"), first("attrs.x", "old ++ [1]")),
            row("block-by-path-unknown", body("atrs.x = 1"), refused("E210")),
        ),
        *told(
            "If the package does not take an argument of `args`, Nix refuses it with its own message, `called with unexpected argument`. The message names the argument and the package's file, not the setting. There is no guard in the recipe,",
        ),
        rule(
            '`because "…"` at the end of a setting gives the reason for its value.',
            row("because", attrs('x = 1 because "so it is"'), emits("# so it is")),
            row("because-added", attrs('x += [1] because "so it is"'), emits("# so it is")),
            row("because-of-record-key", attrs('x.y = 1 because "so it is"'), emits("# so it is")),
            row(
                "because-lost",
                over('x = 1 because "so it is"', "x = 2"),
                emits("x = 2;", never=("so it is",)),
            ),
        ),
        rule(
            "The reason is plain text, without interpolation.",
            row("because-interpolated", attrs('x = 1 because "{{n}}"'), refused("E209", "{{n}}")),
        ),
        rule(
            "It becomes a comment in the emitted Nix. Adjacent elements of a list that",
            row("because-once", attrs('x = [1, 2] because "so"'), emits("# so x = [ 1 2 ];")),
            row(
                "because-joined",
                attrs('x = [1] because "so"\nx += [2] because "so"\nx += [3] because "other"'),
                emits("# so x = [ 1 2 # other 3 ];"),
            ),
            row(
                "because-apart",
                attrs('x = [1]\nx += [2, 3] because "so"\nx += [4]\nx += [5] because "so"'),
                emits("x = [ 1 # so 2 3 4 # so 5 ];"),
            ),
        ),
        rule(
            "may be in any place where a setting may be: in a recipe, in a block, in a script, in another `when`.",
            row(
                "when-in-recipe",
                body("when n == 1 { attrs { x = 1 } }"),
                each("attrs.x", "1", "absent"),
            ),
            row("when-in-block", attrs("when n == 1 { x = 1 }"), each("attrs.x", "1", "absent")),
            row(
                "when-in-script",
                body('script s { when n == 1 { part a "A" }, part b "B" }'),
                each("script.s", 'old, a "A", b "B"', 'old, b "B"'),
            ),
            row(
                "when-in-when",
                body("when n < 2 { when n > 0 { attrs { x = 1 } } }"),
                each("attrs.x", "1", "absent"),
            ),
            row(
                "when-both-hold",
                body("when n < 9 { when n == 2 { attrs { x = 1 } } }"),
                each("attrs.x", "absent", "1"),
            ),
            row(
                "when-in-matrix",
                body("", "", OF_N.replace(" }", ", when n == 1 { attrs { x = 1 } } }", 1)),
                each("attrs.x", "1", "absent"),
            ),
        ),
        rule(
            "It holds no `let` and declares no `flag`.",
            row("when-let", body("when n == 1 { let k = 1 }"), refused("E209")),
            row("when-flag", body("when n == 1 { flag f: bool = true }"), refused("E209")),
            row(
                "when-sets-flag",
                body("flag f: bool = true\nattrs { x = f }\nwhen n == 1 { flag f = false }"),
                each("attrs.x", "false", "true"),
            ),
        ),
        rule(
            "**Flags** are switches with a computed default.",
            row(
                "flag-default",
                body("flag f: bool = n == 1\nattrs { x = f }"),
                each("attrs.x", "true", "false"),
            ),
            row(
                "flag-reads-setting",
                body('flag f: string = attrs.y\nattrs { x = f, y = "s" }'),
                first("attrs.x", '"s"'),
            ),
            row("flag-no-default", body("flag f: bool\nattrs { x = f }"), refused("E101")),
        ),
        rule(
            "The type of a flag is one of the types of facts.",
            row("flag-type", body("flag f: int = 1\nattrs { x = f }"), first("attrs.x", "1")),
            row("flag-other-type", body('flag f: int = "s"\nattrs { x = f }'), refused("E301")),
            row(
                "flag-one-of",
                body('flag f: one_of("a", "b") = "b"\nattrs { x = f }'),
                first("attrs.x", '"b"'),
            ),
            row(
                "flag-not-one-of",
                body('flag f: one_of("a", "b") = "c"\nattrs { x = f }'),
                refused("E301"),
            ),
            row("flag-list", body("flag f: [int] = [1]\nattrs { x = f }"), first("attrs.x", "[1]")),
        ),
        rule(
            "sets a flag that an ancestor declared. You may write it in a recipe that extends the ancestor, in a matrix, or in a `when`. On the command line, use `--flag f=value`.",
            row("flag-in-child", chain(FLAG, "flag f = false"), first("attrs.x", "false")),
            row(
                "flag-in-matrix",
                body(FLAG, "", OF_N.replace(" }", ", flag f = false }", 1)),
                first("attrs.x", "false"),
            ),
            row(
                "flag-in-when",
                body(FLAG + "\nwhen n == 2 { flag f = false }"),
                each("attrs.x", "true", "false"),
            ),
            row("flag-by-option", body(FLAG), first("attrs.x", "false"), flag="f=false"),
            row(
                "flag-matrix-over-child",
                chain(FLAG, "flag f = false", "", OF_N.replace(" }", ", flag f = true }", 1)),
                first("attrs.x", "true"),
            ),
            row(
                "flag-option-over-force",
                body(FLAG + "\nforce flag f = true").replace("force flag", "flag"),
                first("attrs.x", "false"),
                flag="f=false",
            ),
            row("flag-unknown", chain("", "flag f = false"), refused("E201", "f")),
            row("flag-of-type", chain(FLAG, "flag f = 1"), refused("E301")),
            row(
                "flag-text-by-option",
                body('flag f: one_of("a", "b") = "a"\nattrs { x = f }'),
                first("attrs.x", '"b"'),
                flag="f=b",
            ),
            *[
                row(
                    f"flag-{kind}-by-word",
                    body(f"flag f: {kind} = {default}\nattrs {{ x = f }}"),
                    refused("E201", "b"),
                    flag="f=b",
                )
                for kind, default in (("bool", "true"), ("int", "1"))
            ],
            row(
                "flag-of-two-types-by-word",
                body(
                    'flag f: string = "a"\nattrs { x = f }',
                    "recipe other { package = pkgs.hello, flag f: int = 1, attrs { x = f } }\n"
                    "variant w { recipe = other }",
                ),
                refused("E201", "b"),
                flag="f=b",
            ),
            row(
                "flag-text-by-let",
                body('flag f: string = "a"\nattrs { x = f }', 'let b = "of b"\n'),
                first("attrs.x", '"of b"'),
                flag="f=b",
            ),
            row("flag-unknown-by-option", body(FLAG), refused("E505"), flag="g=false"),
        ),
        rule(
            "Two declarations of one flag in a chain of recipes are an error.",
            row("flag-twice", chain(FLAG, "flag f: bool = false"), refused("E202")),
            row("flag-twice-in-one", body(FLAG + "\nflag f: bool = true"), refused("E202")),
        ),
    ),
    table(
        "Scopes: what `pkgs.NAME` means",
        *held(
            "nix/test_scopes.py::test_a_name_means_what_call_package_hands",
            "`pkgs.NAME` is what a packager gets as the argument `NAME` of a function that callPackage calls.",
            "It is the same package in lists, scripts, texts, Nix text and needs.",
            "Two things decide which package that is.",
            "The first is the **scope**, the package set that fills the function. In `python3Packages` the name `protobuf` is the Python package. At the top level of nixpkgs it is the C++ library.",
            "The second is the machine. If nixpkgs builds for another machine, callPackage passes *spliced* packages: each list of dependencies takes the package for its own platform. So `nativeBuildInputs += [pkgs.cmake]`",
            "They are not spliced.",
            "A name that Nix computes, `pkgs.${name}`, comes from the scope too, but it is not spliced.",
        ),
        rule(
            "`scope = pkgs.SET` names the package set, which may be computed: `scope = pkgs[python.set]`.",
            row(
                "scope",
                body("scope = pkgs.ps"),
                emits("pinned.ps.callPackage (names@{ hello }: names) { }"),
            ),
            row(
                "scope-computed",
                body("scope = pkgs[k]", 'let k = "ps"\n'),
                emits("pinned.ps.callPackage"),
            ),
            row("scope-added", body("scope += pkgs.ps"), refused("E209", "scope += pkgs.ps")),
        ),
        rule(
            "Any other value is an error (E301).",
            row("scope-text", body('scope = "ps"'), refused("E301", 'scope = "ps"')),
            row("scope-caller", body("scope = caller.ps"), refused("E301", "scope = caller.ps")),
            row("scope-pin", body("scope = p"), refused("E306", "p")),
        ),
        rule(
            "Without a scope it is the top level of nixpkgs. `scope = none` returns to the top level.",
            row(
                "scope-none",
                chain("scope = pkgs.ps", "scope = none"),
                emits("pinned.hello", never=("pinned.ps",)),
            ),
            row("scope-inherited", chain("scope = pkgs.ps", ""), emits("pinned.ps.callPackage")),
        ),
        rule(
            "`pkgs` by itself, and `pkgs.pkgs.NAME`, are the top level in every scope.",
            row(
                "top-level",
                body("scope = pkgs.ps\nattrs { x = pkgs.pkgs.zlib, y = pkgs.zlib, z = pkgs }"),
                emits("x = pinned.zlib;", "y = scope.zlib;", "z = pinned;"),
            ),
            row(
                "top-level-called",
                body("pin = none\nattrs { x = pkgs.pkgs.zlib, y = pkgs.zlib }"),
                emits("{ hello, pkgs, zlib, }:", "x = pkgs.zlib;", "y = zlib;"),
            ),
        ),
        rule(
            "In Nix text, `pkgs.NAME`, `inherit (pkgs) NAME` and the names below `with pkgs;` come from the scope.",
            row(
                "text-called",
                body('pin = none\nattrs { x = nix"""[ pkgs.zlib ]""" }'),
                emits("{ hello, zlib }:", "let pkgs = { inherit zlib; }; in ([ pkgs.zlib ])"),
            ),
            row(
                "text-inherit",
                body('scope = pkgs.ps\nattrs { x = nix"""{ inherit (pkgs) zlib; }""" }'),
                emits("zlib, }: names", "let pkgs = scope; in"),
            ),
            row(
                "text-with",
                body('scope = pkgs.ps\nattrs { x = nix"""with pkgs; [ zlib ]""" }'),
                emits("zlib, }: names", "let pkgs = scope; in"),
            ),
            row(
                "text-handed",
                body('scope = pkgs.ps\nattrs { x = nix"""f pkgs""" }'),
                emits("let pkgs = pinned; in"),
            ),
        ),
        rule(
            "A text may also pass on `pkgs` by itself, as in `f pkgs pkgs.protobuf`. Then `pkgs` is the top level, except that the names",
            row(
                "text-handed-too",
                body('scope = pkgs.ps\nattrs { x = nix"""f pkgs pkgs.zlib""" }'),
                emits("let pkgs = pinned // scope; in"),
            ),
        ),
        rule(
            "An overlay changes nixpkgs for recipes of every scope.",
            row(
                "overlay-scope",
                body("scope = pkgs.ps\noverlays = [o]", "overlay o { y = pkgs.zlib }\n"),
                emits("y = final.zlib;"),
            ),
        ),
        rule(
            "In an overlay, `pkgs.NAME` is the top level of the nixpkgs that the overlay changes. It is spliced if that nixpkgs builds",
            row(
                "overlay-called",
                body("pin = none\noverlays = [o]", "overlay o { y = pkgs.zlib }\n"),
                emits("scope = final.callPackage (names@{ zlib }: names) { };", "y = scope.zlib;"),
            ),
        ),
        *held(
            "nix/test_scopes.py",
            "A scope that nixpkgs does not have stops Nix with a message. `check --eval` shows the message",
            "A recipe with `pin = none` must be called by the callPackage of its scope.",
            "`check --eval`, `realise`, `jobs`, `audit --nix`, `output all` and `output flake` do so, and",
        ),
        *told(
            "The emitted code depends on who imports nixpkgs:",
            "By hand, write:",
            "`needs.NAME` is one build, for one machine. It is not spliced, like a package",
        ),
        rule(
            "`pin = none` | `cmake`, an argument of the recipe |",
            row(
                "emitted-called",
                body("pin = none\nattrs { x = pkgs.cmake }"),
                emits("{ cmake, hello }:", "x = cmake;"),
            ),
        ),
        rule(
            "a pin for this machine | `pinned.cmake`, which is what callPackage passes there |",
            row("emitted-pinned", attrs("x = pkgs.cmake"), emits("x = pinned.cmake;")),
        ),
        rule(
            "a pin with `crossSystem`, a scope, or overlays without a pin | `scope.cmake` |",
            row(
                "emitted-cross",
                body(
                    "attrs { x = pkgs.cmake }",
                    PIN.replace(" }\n", '\ncrossSystem { system = "aarch64-linux" } }\n'),
                ),
                emits("x = scope.cmake;"),
            ),
            row(
                "emitted-overlays",
                body(
                    "pin = none\noverlays = [o]\nattrs { x = pkgs.cmake }", "overlay o { y = 1 }\n"
                ),
                emits("scope = extended.callPackage", "x = scope.cmake;"),
            ),
        ),
        rule(
            "In the last case, the recipe asks callPackage once for the names that it uses:",
            row(
                "emitted-once",
                body("scope = pkgs.ps\nattrs { x = pkgs.zlib, y = pkgs.zlib.dev }"),
                emits("scope = pinned.ps.callPackage", "zlib, }: names"),
            ),
        ),
    ),
    table(
        "Packages of files",
        rule(
            '`package = path("./f.nix")` builds the result of the function in a file. A `file` of an [input](#input)',
            row(
                "of-file",
                body('package = path("./f.nix")'),
                emits("callPackage ./f.nix { }"),
                files=F,
            ),
            row(
                "of-file-of-input",
                body('package = file(i, "f.nix")', INPUT),
                emits('pinned.callPackage (i-input + "/f.nix") { }'),
            ),
        ),
        rule(
            "callPackage fills the arguments of the function. `args { }` gives the other arguments,",
            row(
                "of-file-args",
                body('package = path("./f.nix")\nargs { a = n }\nattrs { b = 1 }'),
                emits(
                    "(pinned.callPackage ./f.nix { a = 1; }).overrideAttrs", never=(".override {",)
                ),
                files=F,
            ),
            row(
                "of-file-called",
                body('pin = none\npackage = path("./f.nix")\nargs { a = pkgs.zlib }'),
                emits("{ callPackage, zlib }: callPackage ./f.nix { a = zlib; }"),
                files=F,
            ),
        ),
        rule(
            "`package = call(F, a, …)` builds the result of a function. The function gets the written arguments and nothing else: the package is made from scratch. `attrs` and `env` add to it by `.overrideAttrs`.",
            row(
                "of-call",
                body("package = call(pkgs.f, { a = n }, 2)\nattrs { b = 1 }"),
                emits("(pinned.f { a = 1; } 2).overrideAttrs (_: { b = 1; })"),
            ),
            row(
                "of-call-args",
                body("package = call(pkgs.f, { a = n })\nargs { b = 1 }"),
                refused("E209", "b = 1"),
            ),
            row("of-input", body("package = i", INPUT), refused("E301", "package = i")),
            row(
                "of-source",
                body(f'package = url("https://a.org/b", hash = "{HASH}")'),
                refused("E301"),
            ),
        ),
    ),
    table(
        "What a recipe needs",
        rule(
            "`needs NAME = TARGET` takes the build of another recipe.",
            row(
                "needs",
                needing("needs lib = libs\nattrs { x = needs.lib }"),
                emits("needs = { lib = import ./lib-a.nix { inherit pkgs; }; };", "x = needs.lib;"),
            ),
            row(
                "needs-variant",
                needing(
                    "needs lib = one[gpu = a]\nattrs { x = needs.lib }",
                    "variant one { recipe = plain, axes = gpu[a] }",
                ),
                emits("lib = import ./one.nix { inherit pkgs; };"),
            ),
            row(
                "needs-of-module",
                needing(
                    "needs lib = m.libs2\nattrs { x = needs.lib.variant }", 'use "./m.tvar" as m'
                ),
                each("attrs.x", "absent", '"libs2"', '"libs2"', *["absent"] * 7),
                files={
                    "m.tvar": "recipe r { package = pkgs.curl }\nvariant libs2 { recipe = r }\n"
                },
            ),
            row("needs-unknown", needing("needs lib = libz"), refused("E201", "libz")),
        ),
        rule(
            "`needs.NAME` is that package, in the settings of the recipe, in its overlays, and in Nix text.",
            row(
                "needs-in-text",
                needing('needs lib = libs\nattrs { x = "-L{{needs.lib.out}}" }'),
                emits('x = "-L${needs.lib.out}";'),
            ),
            row(
                "needs-in-overlay",
                needing("needs lib = libs\noverlays = [o]", "overlay o { zlib = needs.lib }"),
                emits("zlib = needs.lib;"),
            ),
            row(
                "needs-in-nix",
                needing('needs lib = libs\nattrs { x = nix"""needs.lib.dev""" }'),
                emits("in needs.lib.dev;"),
            ),
            row("needs-whole", needing("attrs { x = needs }"), refused("E301", "needs")),
        ),
        rule(
            "a matrix: its variant for this cell, which has a file of its own |",
            row(
                "needs-cells",
                needing("needs lib = libs\nattrs { x = needs.lib.variant }"),
                each("attrs.x", '"lib-a"', '"lib-b"', *["absent"] * 7),
            ),
        ),
        rule(
            "a recipe, decided for this cell and put into this recipe |",
            row(
                "needs-recipe",
                needing("needs lib = plain\nattrs { x = needs.lib }"),
                emits("lib = assert pinned ? curl.overrideAttrs", 'GPU = "A"; }); };'),
            ),
        ),
        rule(
            '`call(F, …)`, `file(input, "…")`, `path("./f.nix")`, `pkgs.NAME`, Nix text | the package that',
            row(
                "needs-package",
                needing("needs lib = pkgs.curl\nattrs { x = needs.lib }"),
                emits("needs = { lib = pinned.curl; };"),
            ),
            row(
                "needs-call",
                needing("needs lib = call(pkgs.f, { a = gpu.size })\nattrs { x = needs.lib }"),
                emits("lib = pinned.f { a = 1; };"),
            ),
            row(
                "needs-nix",
                needing('needs lib = nix"""1 + 1"""\nattrs { x = needs.lib }'),
                emits("lib = (1 + 1);"),
            ),
        ),
        rule(
            "You may choose a target: `if lto then fast else plain`.",
            row(
                "needs-if",
                needing(
                    "needs lib = if gpu == a then libs else wide[release = one]\n"
                    "attrs { x = needs.lib.variant }"
                ),
                each("attrs.x", '"lib-a"', '"one-b"', *["absent"] * 7),
            ),
        ),
        rule(
            "Any other value is an error (E301).",
            row("needs-text", needing('needs lib = "x"'), refused("E301", 'needs lib = "x"')),
            row("needs-null", needing("needs lib = null"), refused("E301", "needs lib = null")),
            row("needs-none", needing("needs lib = none"), refused("E301", "needs lib = none")),
            row(
                "needs-source",
                needing(f'needs lib = url("https://a.org/b", hash = "{HASH}")'),
                refused("E301"),
            ),
        ),
        *told("**A matrix.", "**What you can read from a need."),
        rule(
            "The need takes this cell's value for each axis that both matrices have.",
            row(
                "needs-same-axes",
                needing("needs lib = wide[release = two]\nattrs { x = needs.lib.variant }"),
                each("attrs.x", '"two-a"', '"two-b"', *["absent"] * 7),
            ),
        ),
        rule(
            "Write the other axes in brackets: those that the cell lacks, and those that need another value. `AXIS = VALUE` is that value. `AXIS where C` is the one value of that axis for which `C` is true. In `C`, the fields of the axis are names.",
            row(
                "needs-where",
                needing(
                    "needs lib = wide[release where version == 2.0]\n"
                    "attrs { x = needs.lib.variant }"
                ),
                first("attrs.x", '"two-a"'),
            ),
            row(
                "needs-other-value",
                needing(
                    "needs lib = wide[release = one, gpu = b]\nattrs { x = needs.lib.variant }"
                ),
                first("attrs.x", '"one-b"'),
            ),
            row(
                "needs-value-by-text",
                needing('needs lib = libs[gpu = "b"]\nattrs { x = needs.lib.variant }'),
                first("attrs.x", '"lib-b"'),
            ),
            row("needs-bare-pick", needing("needs lib = libs[a]"), refused("E209", "a")),
            row("needs-pick-twice", needing("needs lib = libs[gpu = a, gpu = b]"), refused("E202")),
            row("needs-no-such-axis", needing("needs lib = libs[lto = a]"), refused("E201", "lto")),
            row(
                "needs-pick-elsewhere",
                needing(
                    "attrs { x = 1 }",
                    "axis more = gpu-table[gpu = a]\nfacts gpu-table (x: int) { p { x = 1 } }",
                ),
                refused("E209", "gpu"),
            ),
        ),
        rule(
            "Both forms may read axes, `let`s, flags and settings.",
            row(
                "needs-reads",
                needing(
                    "flag least: version = 2.0\nlet other = b\n"
                    "needs lib = wide[release where version == least, gpu = other]\n"
                    "attrs { x = needs.lib.variant }"
                ),
                first("attrs.x", '"two-b"'),
            ),
            row(
                "needs-reads-setting",
                needing(
                    "attrs { wanted = 1.0, x = needs.lib.variant }\n"
                    "needs lib = wide[release where version == attrs.wanted]"
                ),
                first("attrs.x", '"one-a"'),
            ),
        ),
        rule(
            "An axis without a value is an error (E410). Several values that fit are an error too (E409).",
            row("needs-no-value", needing("needs lib = wide"), refused("E410", "wide")),
            row(
                "needs-other-table",
                needing("needs lib = others"),
                refused("E410", "others"),
                files={"other.tvar": "axis gpu { a { other = 1 } }\n"},
            ),
            row(
                "needs-several",
                needing("needs lib = wide[release where version >= 1.0]"),
                refused("E409", "release where version >= 1.0"),
            ),
        ),
        rule(
            "A variant that is not built is an error that names the cell, and the rule that dropped it (E408).",
            row(
                "needs-dropped",
                needing("needs lib = wide[release = three]"),
                says("E408", "gpu is a", "release=three gpu=a", "three is not done"),
            ),
            row(
                "needs-nothing-fits",
                needing("needs lib = wide[release where version > 9.0]"),
                says("E408", "no value of axis `release` matches"),
            ),
        ),
        rule(
            'With `or exclude because "…"`, the compiler drops the cells that lack the variant instead. It decides this together with the',
            row(
                "needs-or-exclude",
                needing(
                    'needs lib = wide[release = three]\n  or exclude because "no lib"\n'
                    "attrs { x = needs.lib.variant }"
                ),
                each("attrs.x", '"three-b"', *["absent"] * 7),
            ),
            row(
                "needs-or-exclude-reason",
                needing("needs lib = libs or exclude"),
                refused("E208", "needs lib = libs or exclude"),
            ),
            row(
                "needs-or-exclude-setting",
                needing(
                    "attrs { wanted = 1.0 }\nneeds lib = wide[release where version == attrs.wanted] "
                    'or exclude because "x"'
                ),
                refused("E302", "attrs.wanted"),
            ),
            row(
                "needs-or-exclude-nix",
                needing('needs lib = pkgs.curl or exclude because "x"'),
                refused("E209", "pkgs.curl"),
            ),
        ),
        rule(
            "It need not drop any cell.",
            row(
                "needs-or-exclude-idle",
                needing('needs lib = libs or exclude because "x"\nattrs { x = needs.lib }'),
                fine,
            ),
        ),
        *held(
            "nix/test_needs.py",
            "The need takes exactly the variant as it is by itself, to the byte of its derivation.",
        ),
        rule(
            "The recipe imports the file of that variant, from the same output. It passes on the `pkgs` with which",
            row(
                "needs-same-output",
                needing(
                    "needs lib = libs\nattrs { x = needs.lib }",
                    'output x { file = "a/{{matrix}}/{{variant}}.nix" }\n'
                    'output y { file = "b/{{variant}}.nix" }',
                ),
                emits("import ../libs/lib-a.nix { inherit pkgs; }"),
            ),
        ),
        rule(
            "For a file with `pin = none`, callPackage of that nixpkgs calls it.",
            row(
                "needs-called",
                needing("needs lib = loose\nattrs { x = needs.lib }"),
                emits("pkgs ? import <nixpkgs> { }", "lib = pkgs.callPackage ./loose-a.nix { };"),
            ),
            row(
                "needs-called-of-called",
                needing("pin = none\nneeds lib = loose\nattrs { x = needs.lib }"),
                emits("callPackage,", "lib = callPackage ./loose-a.nix { };"),
            ),
        ),
        rule(
            "`needs NAME = MATRIX by argument` makes the variant an argument of the recipe, without a default.",
            row(
                "needs-by-argument",
                needing("needs lib = libs by argument\nattrs { x = needs.lib }"),
                emits("}, lib-a, }: let", "needs = { lib = lib-a; };", never=("import ./lib",)),
            ),
            row(
                "needs-by-argument-called",
                needing("pin = none\nneeds lib = libs by argument\nattrs { x = needs.lib }"),
                emits("{ hello, lib-a }: let needs = { lib = lib-a; };"),
            ),
            row(
                "needs-by-argument-or-exclude",
                needing(
                    'needs lib = wide[release = three] by argument or exclude because "x"\n'
                    "attrs { x = needs.lib }"
                ),
                emits("needs = { lib = three-b; };"),
            ),
            row(
                "needs-recipe-by-argument",
                needing("needs lib = plain by argument"),
                refused("E209", "plain"),
            ),
        ),
        *held(
            "nix/test_needs.py",
            "callPackage fills it if such files are packages, as the files in `.flox/pkgs` are for Flox.",
        ),
        rule(
            "A name that has a meaning in recipes, such as `pkgs`, is an error (E403).",
            row(
                "needs-by-argument-pkgs",
                needing(
                    "needs lib = pkgs-lib[gpu = a] by argument\nattrs { x = needs.lib }",
                    'matrix pkgs-lib { recipe = plain, axes = gpu, name = "{{if gpu == a then "pkgs" '
                    'else "other"}}" }',
                ),
                refused("E403", "needs lib = pkgs-lib[gpu = a] by argument"),
            ),
        ),
        rule(
            "These names are errors, too (E403): the name of another such variant, of the recipe's own file,",
            row(
                "needs-by-argument-twice",
                needing(
                    "needs lib = libs[gpu = a] by argument\nneeds other = wide[gpu = a, "
                    "release = one] by argument\nattrs { x = [needs.lib, needs.other] }",
                    'output x { file = "{{matrix}}/{{if gpu == a then "same" else "b"}}-{{if matrix '
                    '== apps then "app" else "lib"}}.nix" }\n'
                    "exclude release != one\n",
                ),
                says("E403", "`needs.lib` is `libs/same-lib.nix`, which has the same name"),
            ),
            row(
                "needs-by-argument-same-file",
                needing(
                    "needs lib = libs by argument\nneeds other = libs by argument\n"
                    "attrs { x = [needs.lib, needs.other] }",
                ),
                emits("needs = { lib = lib-a; other = lib-a; };"),
            ),
            row(
                "needs-by-argument-own",
                needing(
                    "needs lib = libs by argument\nattrs { x = needs.lib }",
                    'output x { file = "{{matrix}}/{{if matrix is wide then release else gpu}}'
                    '{{if matrix is wide then gpu else ""}}.nix" }',
                ),
                says("E403", "the file of the recipe has the same name, `apps/a.nix`"),
            ),
            row(
                "needs-by-argument-package",
                needing(
                    "pin = none\nneeds lib = curls by argument\nattrs { x = [needs.lib, pkgs.zlib] }",
                    CURLS.replace("NAME", "zlib"),
                ),
                says("E403", "the recipe already takes a package with this name from nixpkgs"),
            ),
            row(
                "needs-by-argument-package-of-another",
                needing(
                    "needs lib = curls by argument\nattrs { x = [needs.lib, pkgs.zlib] }",
                    CURLS.replace("NAME", "zlib"),
                ),
                emits("needs = { lib = zlib; };", "pinned.zlib"),
            ),
            *[
                row(
                    f"needs-by-argument-{name}",
                    needing(
                        "pin = none\nneeds lib = curls by argument\nattrs { x = needs.lib, "
                        f'src = url("https://a.org/b", hash = "{HASH}") }}',
                        CURLS.replace("NAME", name),
                    ),
                    refused("E403", "needs lib = curls by argument"),
                )
                for name in ("hello", "fetchurl")
            ],
            row(
                "needs-by-argument-overlaid",
                needing(
                    "pin = none\nneeds lib = curls by argument\noverlays = [o]",
                    "overlay o { a = needs.lib, b = final.zlib }\n" + CURLS.replace("NAME", "zlib"),
                ),
                emits("needs = { lib = zlib; };"),
            ),
            row(
                "needs-by-argument-nix",
                needing(
                    "needs lib = curls by argument\n"
                    'attrs { x = needs.lib, y = nix"""with pkgs; [ zlib ]""" }',
                    CURLS.replace("NAME", "zlib"),
                ),
                says("E403", "Nix text in the recipe uses this name"),
            ),
        ),
        rule(
            "A recipe that imports a recipe with such an argument has the argument too, and passes it on.",
            row(
                "needs-handed",
                needing(
                    "needs lib = between\nattrs { x = needs.lib }",
                    "recipe through { package = pkgs.curl, needs lib = libs by argument, "
                    "attrs { x = needs.lib } }\n"
                    'matrix between { recipe = through, axes = gpu, name = "between-{{gpu}}" }',
                ),
                emits("}, lib-a, }: let", "lib = import ./between-a.nix { inherit pkgs lib-a; };"),
            ),
            row(
                "needs-handed-called",
                needing(
                    "pin = none\nneeds lib = between\nattrs { x = needs.lib }",
                    "recipe through { package = pkgs.curl, pin = none, needs lib = libs by argument, "
                    "attrs { x = needs.lib } }\n"
                    'matrix between { recipe = through, axes = gpu, name = "between-{{gpu}}" }',
                ),
                emits("lib = callPackage ./between-a.nix { inherit lib-a; };"),
            ),
        ),
        rule(
            "You may combine it with `or exclude`, in any order.",
            *[
                row(
                    f"needs-order-{number}",
                    needing(f'needs lib = {words} because "x"\nattrs {{ x = needs.lib }}'),
                    emits("needs = { lib = three-b; };"),
                )
                for number, words in enumerate(
                    [
                        "wide[release = three] by argument or exclude",
                        "wide[release = three] or exclude by argument",
                        "if gpu == a then wide[release = three] else wide[release = three] "
                        "or exclude by argument",
                        "(if gpu == a then wide[release = three] else wide[release = three]) "
                        "by argument or exclude",
                    ]
                )
            ],
        ),
        *held(
            "cli/test_needs.py",
            "**Commands follow needs.** `build --only X` also writes what",
        ),
        *held(
            "cli/test_needs.py",
            "`who` and `diff` show what a line or a change reaches through needs. `why-not` shows why a needed variant is missing. `pick` judges a variant together",
        ),
        *held(
            "nix/test_inputs.py::test_a_whole_stack_takes_the_checkout",
            "The recipe also passes on an input that the file takes, or that the needs of that file take. So `--arg` gives one checkout to the whole stack.",
        ),
        *told("If you fill an argument yourself, give it to what is needed `by argument`, too."),
        *held(
            "nix/test_needs_in_one_file.py",
            "In an [output of all variants](#all-variants-in-one-file), the need is the attribute of that",
        ),
        rule(
            "If a program extends a matrix of a module, the needs of the module take the program's matrix.",
            row(
                "needs-extended",
                EXTENDED + 'matrix mine extends libs { name = "mine-{{chip}}" }\n' + OUTPUT,
                all_of(
                    makes("app-p", "app-q", "mine-p", "mine-q"),
                    emits("lib = import ./mine-p.nix { inherit pkgs; };"),
                ),
                files=LIBRARY,
            ),
            row(
                "needs-pattern",
                EXTENDED + OUTPUT,
                refused("E304", "libs"),
                files=LIBRARY,
            ),
        ),
        rule(
            "If several matrices extend it and have the cell, it is an error (E409).",
            row(
                "needs-two-matrices",
                EXTENDED
                + 'matrix a extends libs { name = "a-{{chip}}", attrs { x = 1 } }\n'
                + 'matrix b extends libs { name = "b-{{chip}}" }\n'
                + OUTPUT,
                refused("E409", "libs"),
                files=LIBRARY,
            ),
            row(
                "needs-one-of-two-matrices",
                EXTENDED
                + 'matrix a extends libs { axes = chip[p], name = "a-{{chip}}" }\n'
                + 'matrix b extends libs { axes = chip[q], name = "b-{{chip}}" }\n'
                + OUTPUT,
                each("attrs.x", '"a-p"', '"b-q"', "absent", "absent"),
                files=LIBRARY,
            ),
        ),
        rule(
            "A recipe that needs itself, directly or through others, is an error (E205).",
            row("needs-itself", needing("needs lib = apps"), refused("E205", "apps")),
            row("needs-recipe-itself", needing("needs lib = app"), refused("E205", "app")),
            row(
                "needs-circle",
                needing(
                    "needs lib = round",
                    "recipe back { package = pkgs.curl, needs app = apps }\n"
                    'matrix round { recipe = back, axes = gpu, name = "round-{{gpu}}" }',
                ),
                refused("E205", "apps"),
            ),
        ),
        rule(
            "The same error comes if the target of a need is made from a package of the recipe's own nixpkgs,",
            *[
                row(
                    f"needs-overlay-circle-{number}",
                    needing(f"needs lib = {target}\noverlays = [o]", f"overlay o {overlay}"),
                    refused("E205", f"needs lib = {target}"),
                )
                for number, (target, overlay) in enumerate(
                    [
                        ("pkgs.zlib", "{ zlib = needs.lib }"),
                        ("call(pkgs.zlib.override, { a = 1 })", "{ zlib = needs.lib }"),
                        ('nix"""pkgs.zlib.dev"""', 'for zlib { x = nix"""needs.lib""" }'),
                        ("pkgs.python3Packages.torch", "in python3Packages { torch = needs.lib }"),
                    ]
                )
            ],
            *[
                row(
                    f"needs-overlay-no-circle-{number}",
                    needing(f"needs lib = {target}\noverlays = [o]", f"overlay o {overlay}"),
                    fine,
                )
                for number, (target, overlay) in enumerate(
                    [
                        ("pkgs.curl", "{ zlib = needs.lib }"),
                        ("pkgs.zlib-ng", "{ zlib = needs.lib }"),
                        ("caller.zlib", "{ zlib = needs.lib }"),
                        ("libs", "{ zlib = needs.lib }"),
                        ("pkgs.zlib", "{ zlib = prev.zlib, own = needs.lib }"),
                    ]
                )
            ],
            row(
                "needs-of-needs",
                needing(
                    'needs lib = call(needs.other, {})\nneeds other = nix"""f needs.lib"""\n'
                    "attrs { x = needs.lib }"
                ),
                says("E205", "needs.lib → needs.other → needs.lib"),
            ),
        ),
        rule(
            "**A recipe** as a target gets the axes and the name of the variant that needs it, and its checks hold there.",
            row(
                "needs-recipe-name",
                needing(
                    "needs lib = named\nattrs { x = needs.lib.attrs.own }",
                    'recipe named { package = pkgs.curl, attrs { own = "{{variant}} {{gpu.label}}" } }',
                ),
                first("attrs.x", '"app-a A"'),
            ),
            row(
                "needs-recipe-check",
                needing(
                    "needs lib = checked\nattrs { x = needs.lib }",
                    "recipe checked { package = pkgs.curl, "
                    'require gpu == a because "only a works" }',
                ),
                says("E405", "only a works", "app-b"),
            ),
        ),
        rule(
            "Both share one nixpkgs if their pins, `config` and overlays are equal.",
            row(
                "needs-recipe-shares",
                needing("needs lib = plain\nattrs { x = needs.lib }"),
                emits("pinned.curl.overrideAttrs", never=("lib = let",)),
            ),
            row(
                "needs-recipe-shares-not",
                needing("needs lib = plain\nconfig { a = 1 }\nattrs { x = needs.lib }"),
                emits("lib = let pinned = import nixpkgs {"),
            ),
        ),
        rule(
            "The target brings its own needs.",
            row(
                "needs-recipe-needs",
                needing(
                    "needs lib = deeper\nattrs { x = needs.lib }",
                    "recipe deeper { package = pkgs.curl, needs inner = libs\n"
                    "attrs { y = needs.inner } }",
                ),
                emits("needs = { inner = import ./lib-a.nix { inherit pkgs; }; };"),
            ),
        ),
        rule(
            "Its Nix code is written into each recipe that needs it. So give it a matrix of its own",
            row("needs-doubled", needing(DOUBLED, doubled(7)), fine),
            row("needs-doubled-often", needing(DOUBLED, doubled(9)), refused("E308")),
        ),
        rule(
            "**What Nix makes** is in the recipe as you write it.",
            row(
                "needs-nix-written",
                needing("needs lib = pkgs.curl.dev\nattrs { x = needs.lib }"),
                emits("lib = pinned.curl.dev;"),
            ),
        ),
        rule(
            "callPackage calls a file.",
            row(
                "needs-file",
                needing('needs lib = path("./f.nix")\nattrs { x = needs.lib }'),
                emits("lib = pinned.callPackage ./f.nix { };"),
                files=F,
            ),
        ),
        rule(
            "`needs.torch.variant` is the variant's name. `needs.torch.version` is the version that its recipe sets, or that an overlay sets for its package. `needs.torch.attrs.pname` is a",
            row(
                "needs-read",
                needing(
                    'needs lib = libs\nattrs { x = "{{needs.lib.variant}} {{needs.lib.version}} '
                    '{{needs.lib.attrs.pname}} {{needs.lib.meta.description}}" }'
                ),
                first("attrs.x", '"lib-a 1.2 lib-A of lib-a"'),
            ),
            row(
                "needs-read-overlay",
                needing(
                    "needs lib = changed\nattrs { x = needs.lib.version }",
                    "overlay newer for curl { version = 8.1 }\n"
                    "recipe changed { package = pkgs.curl, overlays = [newer] }",
                ),
                first("attrs.x", "8.1"),
            ),
            row(
                "needs-read-decides",
                needing('needs lib = libs\nwhen needs.lib.variant == "lib-a" { attrs { x = 1 } }'),
                each("attrs.x", "1", *["absent"] * 8),
            ),
        ),
        rule(
            "A value that is not decided there, or only in part, is an error (E201). The version and the values of `meta`",
            row(
                "needs-read-unset",
                needing("needs lib = libs\nattrs { x = needs.lib.attrs.z }"),
                refused("E201", "needs.lib.attrs.z"),
            ),
            row(
                "needs-read-part",
                needing("needs lib = libs\nattrs { x = needs.lib.attrs.list }"),
                refused("E201", "needs.lib.attrs.list"),
            ),
            row(
                "needs-read-nix",
                needing(
                    "needs lib = plain\nattrs { x = needs.lib.version, y = needs.lib.meta.license }"
                ),
                emits("x = needs.lib.version; y = needs.lib.meta.license;"),
            ),
        ),
        rule(
            "Any other step is an attribute of the package: `needs.torch.out`.",
            row(
                "needs-step",
                needing("needs lib = libs\nattrs { x = needs.lib.dev.outPath }"),
                emits("x = needs.lib.dev.outPath;"),
            ),
        ),
        rule(
            "In Nix text, `needs.torch`, or `inherit (needs) torch`, is the package, and the steps after it are its attributes. Write a value that the program",
            row(
                "needs-nix-attribute",
                needing('needs lib = libs\nattrs { x = nix"""with pkgs; needs.lib.version""" }'),
                emits("needs.lib.version"),
            ),
            row(
                "needs-nix-inherit",
                needing('needs lib = libs\nattrs { x = nix"""{ inherit (needs) lib; }""" }'),
                emits("{ inherit (needs) lib; }"),
            ),
            row(
                "needs-nix-value",
                needing('needs lib = libs\nattrs { x = nix"""[ {{needs.lib.variant}} ]""" }'),
                emits('[ "lib-a" ]'),
            ),
        ),
        rule(
            "An unknown need is an error as in other places (E201). `needs` without a name after it",
            *[
                row(
                    f"needs-nix-{number}",
                    needing(f'needs lib = libs\nattrs {{ x = needs.lib, y = nix""" {text} """ }}'),
                    refused(code, place) if code else fine,
                )
                for number, (text, code, place) in enumerate(
                    [
                        ("needs.lob", "E201", "lob"),
                        ("{ inherit (needs) lob; }", "E201", "lob"),
                        ('needs."lob"', "E201", "lob"),
                        ('"${needs.lob}"', "E201", "lob"),
                        ("with pkgs; [ needs.lob ]", "E201", "lob"),
                        ("with needs; [ lob ]", "E301", "needs"),
                        ("needs.${old.name}", "E301", "needs"),
                        ("{ a ? needs.lob }: a", "E201", "lob"),
                        ("old ? needs.lob", "", ""),
                        ("needs: needs.lob", "", ""),
                        ("{ needs, a }: needs.lob", "", ""),
                        ("let needs = { }; in needs.lob", "", ""),
                        ("rec { needs = { }; a = needs.lob; }", "", ""),
                        ("{ needs = needs.lob; }", "E201", "lob"),
                        ("old.needs.lob", "", ""),
                    ]
                )
            ],
            row(
                "needs-nix-overlay",
                needing(
                    "needs lib = libs\noverlays = [o]\nattrs { x = needs.lib }",
                    'overlay o { a = nix"""needs.lob""" }',
                ),
                refused("E201", "lob"),
            ),
            row(
                "needs-nix-let",
                needing(
                    "needs lib = libs\nattrs { x = needs.lib, y = text }",
                    'let text = nix"""needs.lob"""',
                ),
                refused("E201", "lob"),
            ),
            row(
                "needs-nix-config",
                needing('needs lib = libs\nconfig { x = nix"""needs.lib""" }'),
                refused("E302", "needs.lib"),
            ),
            row(
                "needs-nix-when",
                needing('when gpu == a { needs lib = libs }\nattrs { x = nix"""needs.lib""" }'),
                says("E201", "a `when` decides"),
            ),
        ),
        rule(
            "**Which need is used** is decided as for any `=`. A recipe that extends this one may write the need again, and so may a matrix. A need may be in a `when`.",
            row(
                "needs-anew",
                needing(
                    "attrs { x = needs.lib.variant }\nneeds lib = wide[release = two]",
                    head=" extends base",
                    more="recipe base { package = pkgs.hello, needs lib = libs }",
                ),
                first("attrs.x", '"two-a"'),
            ),
            row(
                "needs-anew-exclude",
                needing(
                    "needs lib = libs\nattrs { x = needs.lib.variant }",
                    head=" extends base",
                    more="recipe base { package = pkgs.hello\n"
                    'needs lib = wide[release = three] or exclude because "x" }',
                ),
                each("attrs.x", '"lib-a"', '"lib-b"', *["absent"] * 7),
            ),
            row(
                "needs-when",
                needing(
                    "needs lib = libs\nwhen gpu == b { needs lib = wide[release = one] }\n"
                    "attrs { x = needs.lib.variant }"
                ),
                each("attrs.x", '"lib-a"', '"one-b"', *["absent"] * 7),
            ),
            row(
                "needs-twice",
                needing("needs lib = libs\nneeds lib = wide[release = one]"),
                refused("E501"),
            ),
        ),
        rule(
            "A need that the variant does not have is an error at the place that reads it (E201).",
            row("needs-none-such", needing("attrs { x = needs.lib }"), refused("E201", "lib")),
            row(
                "needs-not-here",
                needing("when gpu == a { needs lib = libs }\nattrs { x = needs.lib }"),
                refused("E201", "lib"),
            ),
            row(
                "needs-not-of-lister",
                needing("overlays = [o]", "overlay o { zlib = needs.lib }"),
                refused("E201", "lib"),
            ),
        ),
        rule(
            "Pins, `config`, names and exclusions cannot read needs (E302).",
            row(
                "needs-in-config",
                needing("needs lib = libs\nconfig { a = needs.lib }"),
                refused("E302", "needs.lib"),
            ),
            row(
                "needs-in-name",
                needing("needs lib = libs", name="app-{{needs.lib.variant}}"),
                refused("E302", "needs.lib"),
            ),
            row(
                "needs-in-exclude",
                needing("needs lib = libs", 'exclude needs.lib.variant == "x" because "x"'),
                refused("E302", "needs.lib"),
            ),
            row(
                "needs-in-pin",
                needing(
                    "needs lib = libs",
                    f'pin p {{ url = "https://a.org/{{{{needs.lib.variant}}}}.tar.gz", hash = "{HASH}" }}',
                ),
                refused("E302", "needs.lib"),
            ),
        ),
    ),
    table(
        "PyTorch",
        *held(
            "unit/test_stdlib_torch_build.py",
            "**`std.torch-build`** has recipes of PyTorch that you can extend: `torch-cuda`, `torch-rocm`,",
        ),
        *held(
            "unit/test_stdlib_docs.py",
            "They read the axes of the library, and their flags follow from its facts. [stdlib.md](stdlib.md#stdtorch-build)",
        ),
    ),
)
