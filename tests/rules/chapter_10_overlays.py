"""Overlays and patches."""

from __future__ import annotations

from support.rules import (
    HASH,
    MATRIX,
    PIN,
    REV,
    Row,
    body,
    emits,
    fine,
    held,
    refused,
    row,
    rule,
    says,
    table,
    told,
    top,
)


def with_(name: str, overlay: str, *texts: str, body_: str = "overlays = [o]") -> Row:
    """What a recipe that lists the overlay `o` emits."""
    return row(name, body(body_, overlay), emits(*texts))


def bad(name: str, overlay: str, code: str, *at: str) -> Row:
    return row(name, body("overlays = [o]", overlay), refused(code, *at))


PATCH = f'url = "https://a.org/b.patch", hash = "{HASH}"'
FLAGGED = "flag f: bool = n == 1\nattrs { z = f }\n"

TABLES = (
    table(
        "Overlays and patches",
        *told(
            "With an overlay you change packages of nixpkgs for a recipe. With a patch you add one patch to a package.",
            "The package set decides the form in which it is changed, as the pinned nixpkgs has it:",
            "Python (`python3Packages`, `python3.pkgs`) | `pythonPackagesExtensions`; in a nixpkgs that",
            "Haskell, the kernel | `.extend` |",
            "R | `.override` |",
            "all others | `.overrideScope` |",
        ),
        *told("**Computed targets.", "**Overlays compose.", "**Missing packages."),
        rule(
            "Declare an overlay once, and list it in `overlays` of the recipes that want it.",
            with_("listed", "overlay o { x = 1 }", "(final: prev: { x = 1; })"),
            row(
                "not-listed",
                body("", "overlay o { x = 1 }"),
                refused("E603", "overlay o { x = 1 }"),
            ),
            row("listed-twice", body("overlays = [o, o]", "overlay o { x = 1 }"), refused("E202")),
        ),
        *told("Most overlays change one package."),
        rule(
            "Write its function arguments in `args`, as `.override` sets them, and its",
            with_("args-of-package", "overlay o for zstd { args { static = true } }",
                  "prev.zstd.override { static = true; };"),
            with_("attributes-of-package", "overlay o for zstd { doCheck = false }",
                  "prev.zstd.overrideAttrs (_: { doCheck = false; });"),
        ),
        rule(
            "In Nix you would write `prev.zstd.override { static = true; }` for this.",
            bad("call-as-nix", "overlay o { zstd = prev.zstd.override { x = 1 } }", "E101", "{"),
            bad("call", "overlay o { zstd = prev.zstd.override({ x = 1 }) }", "E101", "("),
        ),
        *told("tvarc has no such calls (E101)."),
        rule(
            "for each of them: says [until when](#until) it is needed |",
            with_(
                "until-of-plain",
                "overlay o until hello >= 2.1 { x = 1 }",
                'x = ( if prev.lib.versionAtLeast (prev.hello.version or "0") "2.1" then',
            ),
            with_(
                "until-of-patch",
                f"patch o for magma until magma >= 2.1 {{ {PATCH} }}",
                'versionAtLeast (prev.magma.version or "0") "2.1"',
                "patch `o`: not needed since magma 2.1",
            ),
            bad("until-before-target", "overlay o until a >= 1.2 for b { x = 1 }", "E101", "for"),
        ),
        rule(
            "Its `because` becomes a comment next to it.",
            with_("because", 'overlay o because "so it is" { x = 1 }', "# o: so it is"),
        ),
        rule(
            "sets attributes of nixpkgs |",
            with_("of-nixpkgs", "overlay o { x = final.y, z = 1 }", "x = final.y; z = 1;"),
        ),
        rule(
            "sets members of a package set |",
            with_(
                "in-set",
                "overlay o in cudaPackages { p = prev.q }",
                "prev.cudaPackages.overrideScope (setFinal: setPrev: { p = setPrev.q; })",
            ),
            with_(
                "in-update",
                "overlay o in vimPlugins { via = update, p = 1 }",
                "prev.vimPlugins // { p = 1; }",
            ),
        ),
        rule(
            "changes one package, in a set or not |",
            with_(
                "for-package",
                "overlay o for zlib { x = 1 }",
                "prev.zlib.overrideAttrs (_: { x = 1; });",
            ),
            with_(
                "for-package-in-set",
                "overlay o for cudaPackages.nccl { x = 1 }",
                "setPrev.nccl.overrideAttrs (_: { x = 1; });",
            ),
        ),
        rule(
            "adds one patch to a package |",
            with_(
                "patch",
                f"patch o for magma {{ {PATCH} }}",
                "patches = prev.lib.remove null (prev.lib.toList (old.patches or [ ])) ++ [",
                'url = "https://a.org/b.patch";',
            ),
        ),
        rule(
            "write attributes of the derivation directly. It has the blocks `args`, `env`,",
            *[
                with_(f"for-{block}", f'overlay o for zlib {{ {block} {{ x = "s" }} }}', 'x = "s";')
                for block in ("args", "env", "passthru", "meta")
            ],
            with_("for-script", 'overlay o for zlib { script s { part a "A" } }', "s ="),
            with_("for-added", "overlay o for zlib { x += [1] }", "(old.x or [ ])) ++ [ 1 ];"),
            bad("for-attrs", "overlay o for zlib { attrs { x = 1 } }", "E210", "attrs"),
            bad("for-config", "overlay o for zlib { config { x = 1 } }", "E210", "config"),
        ),
        rule(
            "The other two kinds have no blocks.",
            bad("no-blocks", "overlay o { meta { x = 1 } }", "E210"),
            bad("no-blocks-in-set", "overlay o in cudaPackages { args { x = 1 } }", "E210"),
        ),
        rule(
            "All three kinds may have a `when`. A patch has fields only (E209),",
            *[
                row(
                    f"when-{name}",
                    body("overlays = [o]", f"overlay o {head}{{ y = 2, when n == 1 {{ x = 1 }} }}"),
                    emits("x = 1;"),
                )
                for name, head in (
                    ("nixpkgs", ""),
                    ("set", "in cudaPackages "),
                    ("package", "for zlib "),
                )
            ],
            row(
                "when-patch",
                body(
                    "overlays = [o]",
                    f"patch o for magma {{ {PATCH}, when n == 1 {{ revert = true }} }}",
                ),
                refused("E209", "when n == 1 { revert = true }"),
            ),
            row(
                "if-in-patch",
                body(
                    "overlays = [o]",
                    f"patch o for magma {{ {PATCH}, revert = if n == 1 then true else false }}",
                ),
                emits("revert = true;"),
            ),
        ),
        rule(
            "An overlay or a patch may read axes and `let`s, `recipe` and `matrix` in conditions, and the flags of the recipe that lists it. It may read no other settings.",
            with_("reads-axis", "overlay o { x = n }", "x = 1;"),
            with_("reads-let", "let k = n\noverlay o { x = k }", "x = 1;"),
            with_("reads-recipe", "overlay o { when recipe is child { x = 1 } }", "x = 1;"),
            with_("reads-matrix", "overlay o { when matrix is m { x = 1 } }", "x = 1;"),
            with_(
                "reads-flag", "overlay o { x = f }", "x = true;", body_=f"overlays = [o]\n{FLAGGED}"
            ),
            row(
                "reads-flag-in-patch",
                body(
                    'overlays = [o]\nflag f: string = "s"',
                    f"patch o for magma {{ {PATCH}, name = f }}",
                ),
                emits('name = "s";'),
            ),
            row(
                "reads-setting",
                body("overlays = [o]\nattrs { y = 1 }", "overlay o { x = attrs.y }"),
                refused("E302", "attrs.y"),
            ),
            row(
                "reads-overlays",
                body("overlays = [o]", "overlay o { when o in overlays { x = 1 } }"),
                refused("E302", "overlays"),
            ),
        ),
        rule(
            "If the recipe that lists it does not have the flag, it is an error at that list (E201).",
            row(
                "flag-missing",
                body(
                    "overlays = [o]",
                    "overlay o { x = f }\nrecipe other { package = pkgs.hello, flag f: bool = true, attrs { z = f } }",
                ),
                refused("E201", "o"),
            ),
            *[
                row(
                    f"flag-missing-{where}",
                    body(
                        "overlays = [o]",
                        f"overlay o for zlib {{ {items} }}\nrecipe other {{ package = pkgs.hello, flag f: bool = true, attrs {{ z = f }} }}",
                    ),
                    refused("E201", "o"),
                )
                for where, items in (
                    ("beside-scripts", 'x = f, script s { part a "A" }, script t { part b "B" }'),
                    ("in-script", 'x = 1, script s { part a "{{f}}" }, script t { part b "B" }'),
                    (
                        "in-last-script",
                        'x = 1, script s { part a "A" }, script t { part b "{{f}}" }',
                    ),
                    ("in-condition", 'when f { x = 1 }, script s { part a "A" }'),
                )
            ],
        ),
        rule(
            "A bare name in an overlay means a flag if no declaration has this name. Flags of all recipes count, including",
            row(
                "flag-or-declaration",
                top(
                    'use "./lib.tvar"\nlet f = 7\noverlay o { x = f }\nrecipe child extends base { overlays = [o] }\nvariant v { recipe = child }'
                ),
                emits("x = 7;"),
                files={
                    "lib.tvar": "recipe base { package = pkgs.hello, flag f: int = 3, attrs { z = f } }\n"
                },
            ),
            row(
                "flag-of-using-module",
                top(
                    'use "./lib.tvar"\nrecipe child { package = pkgs.hello, overlays = [o], flag f: int = 3, attrs { z = f } }\nvariant v { recipe = child }'
                ),
                emits("x = 3;"),
                files={"lib.tvar": "overlay o { x = f }\n"},
            ),
        ),
        rule(
            "A flag that is read by an overlay in use counts as used (E605).",
            row(
                "flag-read-by-overlay",
                body("overlays = [o]\nflag f: bool = true", "overlay o { x = f }"),
                fine,
            ),
            row(
                "flag-read-by-none",
                body("flag f: bool = true"),
                refused("E605", "flag f: bool = true"),
            ),
        ),
        rule(
            "A patch has either `url` and `hash`, which may be [`unlocked`](#unlocked-hashes), or `file`.",
            with_("patch-file", 'patch o for magma { file = path("./a.patch") }', "./a.patch"),
            bad("patch-file-text", 'patch o for magma { file = "a.patch" }', "E301", '"a.patch"'),
            bad(
                "patch-file-of-axis",
                'let k = if n == 1 then "a.patch" else "b.patch"\npatch o for magma { file = k }',
                "E301",
                "k",
            ),
            bad("patch-no-hash", 'patch o for magma { url = "https://a.org/b" }', "E208"),
            bad("patch-nothing", "patch o for magma { }", "E208"),
            bad(
                "patch-both",
                f'patch o for magma {{ {PATCH}, file = path("./a.patch") }}',
                "E208",
                "o",
            ),
            bad(
                "patch-unlocked",
                'patch o for magma { url = "https://a.org/b", hash = unlocked }',
                "W002",
            ),
        ),
        rule(
            "With `url` it may also have `name`, `stripLen`, `extraPrefix`, `relative`, `includes`, `excludes`",
            with_(
                "patch-fields",
                f'patch o for magma {{ {PATCH}, name = "s", stripLen = 1, extraPrefix = "e/", relative = "r", includes = ["i"], excludes = ["x"], revert = true }}',
                "stripLen = 1;",
                'extraPrefix = "e/";',
                'relative = "r";',
                'includes = [ "i" ];',
                'excludes = [ "x" ];',
                "revert = true;",
            ),
            bad(
                "patch-other-field", f"patch o for magma {{ {PATCH}, strip = 1 }}", "E210", "strip"
            ),
        ),
        rule(
            "A malformed hash or address is an error (E701, E703), and so is a file that does not exist (E106). This is so even if no recipe lists the patch. The same holds for pins and sources.",
            bad("patch-hash", 'patch o for magma { url = "https://a.org/b", hash = "x" }', "E701"),
            bad("patch-url", f'patch o for magma {{ url = "a.org/b", hash = "{HASH}" }}', "E703"),
            bad("patch-file-missing", 'patch o for magma { file = path("a.patch") }', "E106"),
            row(
                "patch-unlisted",
                top('patch o for magma { url = "https://a.org/b", hash = "x" }'),
                refused("E701"),
            ),
            row(
                "pin-unlisted",
                top(
                    f'{PIN}pin q {{ github = "a/b", rev = "{REV}", hash = "x" }}\nrecipe child {{ package = pkgs.hello, pin = p }}'
                ),
                refused("E701"),
            ),
            row(
                "source-unlisted",
                top(
                    'recipe child { package = pkgs.hello }\nrecipe other { package = pkgs.hello, attrs { src = url("https://a.org/b", hash = "x") } }\nvariant v { recipe = child }'
                ),
                refused("E701"),
            ),
        ),
        rule(
            "After `pkgs`, or after a name, a step of the target may be in brackets.",
            with_(
                "target-step",
                'let s = "nccl"\noverlay o for cudaPackages[s] { x = 1 }',
                "setPrev.nccl.overrideAttrs",
            ),
            with_(
                "target-after-pkgs",
                'let s = "zlib"\noverlay o for pkgs[s] { x = 1 }',
                "prev.zlib.overrideAttrs",
            ),
        ),
        rule(
            "It is a string or an axis value, and may read axes and `let`s. Another value is an error that",
            row(
                "target-axis",
                body("overlays = [o]", "overlay o for pkgs[row] { x = 1 }", MATRIX),
                emits("prev.one.overrideAttrs"),
            ),
            row(
                "target-integer",
                body("overlays = [o]", "overlay o for pkgs[n] { x = 1 }"),
                says("E301", "n = 1"),
            ),
        ),
        rule(
            "`pkgs` before a target is nixpkgs itself: `for pkgs.hello` is `for hello`.",
            with_("target-pkgs", "overlay o for pkgs.zlib { x = 1 }", "prev.zlib.overrideAttrs"),
        ),
        rule(
            "Two overlays on one set both take effect, whatever their `via`. An overlay that would [undo an",
            row(
                "compose",
                body(
                    "overlays = [o, q]",
                    "overlay o in cudaPackages { a = 1 }\noverlay q in cudaPackages { b = 1 }",
                ),
                emits("a = 1;", "b = 1;", "prev.cudaPackages.overrideScope"),
            ),
            with_(
                "compose-python",
                "overlay o in python3Packages { a = 1 }",
                "pythonPackagesExtensions",
            ),
            with_(
                "compose-python-pkgs",
                "overlay o in python3.pkgs { a = 1 }",
                "pythonPackagesExtensions",
            ),
            with_(
                "compose-haskell",
                "overlay o in haskellPackages { a = 1 }",
                "prev.haskellPackages.extend",
            ),
            with_(
                "compose-kernel",
                "overlay o in linuxPackages { a = 1 }",
                "prev.linuxPackages.extend",
            ),
            with_("compose-r", "overlay o in rPackages { a = 1 }", "prev.rPackages.override"),
        ),
        *held(
            "nix/test_ages.py",
            "An overlay on any Python set changes the sets of all Python versions.",
        ),
        rule(
            "To ask for another form, write `via` within the braces:",
            bad("via-unknown", "overlay o in cudaPackages { via = other, a = 1 }", "E301"),
        ),
        rule(
            "`pythonPackagesExtensions` | all Python sets |",
            with_(
                "via-extensions",
                "overlay o in python312Packages { via = extensions, a = 1 }",
                "pythonPackagesExtensions",
            ),
            bad(
                "via-extensions-elsewhere",
                "overlay o in cudaPackages { via = extensions, a = 1 }",
                "E301",
            ),
        ),
        rule(
            "`scope` | `.overrideScope` | only the named set |",
            with_(
                "via-scope",
                "overlay o in python312Packages { via = scope, a = 1 }",
                "prev.python312Packages.overrideScope",
            ),
        ),
        rule(
            "`extend` | `.extend` | only this set |",
            with_(
                "via-extend",
                "overlay o in cudaPackages { via = extend, a = 1 }",
                "prev.cudaPackages.extend",
            ),
        ),
        rule(
            "only this set, and no other name of it |",
            with_(
                "via-override",
                "overlay o in python312Packages { via = override, a = 1 }",
                "prev.python312Packages.override",
            ),
        ),
        rule(
            "only this set; other members still use the unchanged members |",
            with_(
                "via-update",
                "overlay o in gst_all_1 { via = update, a = 1 }",
                "prev.gst_all_1 // {",
            ),
        ),
        rule(
            "`update` is for sets without a fixpoint, such as `gst_all_1` and `vimPlugins`. It is their usual form.",
            *[
                with_(f"usual-{name}", f"overlay o in {name} {{ a = 1 }}", f"prev.{name} // {{")
                for name in ("gst_all_1", "vimPlugins")
            ],
        ),
        *held(
            "nix/test_forms.py",
            "A package or set may be missing in this nixpkgs, or it may not be possible to change it in this way. An overlay for it then fails when Nix runs, with a message that names the overlay, even if the build does not need the overlay. To know this, the recipe evaluates",
            "The same message comes for a package that nixpkgs refuses to evaluate, such as one that is not for this Python. List the overlay under a `when`",
        ),
        *held(
            "lints/test_mechanism.py",
            "The [lint](#lints) `overlay-unreached` reports two mistakes. One is an overlay on one name of a set when the package is taken by another name. The other is an overlay on a member",
        ),
    ),
    table(
        "`until`",
        rule(
            "After its target, an overlay or a patch may name a version of a package. From this version on, the overlay",
            with_("until", "overlay o for hello until hello >= 2.1 { x = 1 }", '"2.1"'),
            with_(
                "until-because",
                'overlay o for hello until hello >= 2.1 because "so" { x = 1 }',
                "# o: so",
                '"2.1"',
            ),
            bad("until-greater", "overlay o for hello until hello > 2.1 { x = 1 }", "E101", ">"),
            bad("until-nothing", "overlay o for hello until { x = 1 }", "E101", "{"),
            with_("until-as-name", "overlay o { until = 1 }", "until = 1;"),
        ),
        rule(
            "The package belongs to the set that the overlay changes. If the overlay changes no set, the package belongs to nixpkgs. `pkgs.NAME` is always a package of nixpkgs.",
            with_(
                "until-for-member",
                "overlay o for python3Packages.numpy until scipy >= 2.1 { x = 1 }",
                "(pyPrev.scipy.version or ",
            ),
            with_(
                "until-in-set",
                "overlay o in cudaPackages until cudnn >= 9.1 { x = 1 }",
                "(setPrev.cudnn.version or ",
            ),
            with_(
                "until-of-top",
                "overlay o for hello until a.b >= 2.1 { x = 1 }",
                "(prev.a.b.version or ",
            ),
            with_(
                "until-of-nixpkgs",
                "overlay o in cudaPackages until pkgs.hello >= 2.1 { x = 1 }",
                "(prev.hello.version or ",
            ),
        ),
        rule(
            "A package set of nixpkgs, as in `python3Packages.numpy`, is in no other set. If the overlay changes a set, a",
            bad(
                "until-set-in-set",
                "overlay o in python3Packages until python3Packages.numpy >= 2.1 { x = 1 }",
                "E314",
                "until python3Packages.numpy >= 2.1",
            ),
            bad(
                "until-set-in-another",
                "overlay o for python3Packages.scipy until cudaPackages.cudnn >= 2.1 { x = 1 }",
                "E314",
            ),
            with_(
                "until-set-of-nixpkgs",
                "overlay o in python3Packages until pkgs.python3Packages.numpy >= 2.1 { x = 1 }",
                "(prev.python3Packages.numpy.version or ",
            ),
            with_(
                "until-set-where-none-is-changed",
                "overlay o for hello until python3Packages.numpy >= 2.1 { x = 1 }",
                "(prev.python3Packages.numpy.version or ",
            ),
            with_(
                "until-set-within-a-set",
                "overlay o in linuxPackages until nvidiaPackages.stable >= 2.1 { x = 1 }",
                "nvidiaPackages.stable.version or ",
            ),
        ),
        rule(
            "The version may be a `let`, a fact, or a value of an axis. Anything that is not a version is an error (E301).",
            row(
                "until-let",
                body("overlays = [o]", "let v = 3.4\noverlay o until a >= v { x = 1 }"),
                emits('"3.4"'),
            ),
            row(
                "until-fact",
                body(
                    "overlays = [o]",
                    "facts T (v: version) { r { v = 3.5 } }\noverlay o until a >= T[r].v { x = 1 }",
                ),
                emits('"3.5"'),
            ),
            row(
                "until-conditional",
                body(
                    "overlays = [o]", "overlay o until a >= (if n == 1 then 1.1 else 2.2) { x = 1 }"
                ),
                emits('"1.1"', never=('"2.2"',)),
            ),
            bad("until-text", 'overlay o until a >= "2.1" { x = 1 }', "E301", '"2.1"'),
            bad("until-number", "overlay o until a >= 2 { x = 1 }", "E301", "2"),
            bad("until-null", "overlay o until a >= null { x = 1 }", "E301", "null"),
            bad("until-nix", "overlay o until a >= pkgs.a.version { x = 1 }", "E302"),
        ),
        *held(
            "nix/test_until.py",
            "If nixpkgs, without this overlay, has that version or a later one, Nix warns when it evaluates",
            "The derivation is the same as without `until`.",
            "A missing package gives no warning: no version of it replaces the overlay.",
            "`tvarc stale` lists the overlays and patches that are no longer needed, and then exits with",
        ),
    ),
)
