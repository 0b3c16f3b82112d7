"""Lines without effect."""

from __future__ import annotations

from support.rules import (
    HASH,
    body,
    chain,
    fine,
    makes,
    refused,
    row,
    rule,
    table,
    told,
    top,
)

LONE = "recipe lone { package = pkgs.hello, when n == 3 { attrs { x = 1 } } }\n"
NEVER = "n == 3"
INPUT = f'input i {{ url = "https://a.org/b.tar.gz", hash = "{HASH}" }}\n'
FIX = 'patch fix for magma { file = path("./a.patch") }\n'
LIBRARY = {
    "a.patch": "",
    "lib.tvar": "axis n = [1, 2]\noverlay unused { x = 1 }\n" + FIX
    + "recipe base { package = pkgs.hello, flag f: bool = true, when n == 3 { attrs { x = 1 } } }\n"
    + 'warn w = n == 3 because "so"\nwarn w = off because "so"\nexclude n == 3\n'
}  # fmt: skip

TABLES = (
    table(
        "Lines without effect",
        *told("Use this page when tvarc reports that a line of your program has no effect."),
        *told("These are errors, because each of them is most likely a mistake:"),
        rule(
            "an `exclude` that drops no cell, or an `exclude` of a module if none of that module's exclusions",
            row(
                "exclude-idle", body("") + f"exclude {NEVER}\n", refused("E601", f"exclude {NEVER}")
            ),
            row("exclude-one-cell", body("") + "exclude n == 2\n", makes("v1")),
            row("exclude-boundary", body("") + "exclude n > 2\n", refused("E601", "exclude n > 2")),
            row(
                "exclude-drops-what-another-drops",
                body("") + "exclude n == 2\nexclude n > 1\n",
                makes("v1"),
            ),
        ),
        rule(
            "an input from which no variant takes anything |",
            row("input-idle", body("", INPUT), refused("E608", "i")),
            row("input-taken", body('attrs { x = file(i, "a") }', INPUT), fine),
            row("input-whole", body("attrs { x = i }", INPUT), fine),
            row("input-once", body("when n == 2 { attrs { x = i } }", INPUT), fine),
            row("input-by-let-idle", body("", f"{INPUT}let k = i\n"), refused("E608", "i")),
        ),
        rule(
            "a need that nothing reads, unless it drops cells |",
            row("need-idle", body("needs p = pkgs.hello"), refused("E609", "needs p = pkgs.hello")),
            row("need-read", body("needs p = pkgs.hello\nattrs { x = needs.p }"), fine),
            row(
                "need-read-by-nix",
                body('needs p = pkgs.hello\nattrs { x = nix"""needs.p""" }'),
                fine,
            ),
            row(
                "need-read-by-let",
                body("needs p = pkgs.hello\nattrs { x = k }", "let k = needs.p"),
                fine,
            ),
            row(
                "need-read-by-overlay",
                body("needs p = pkgs.hello\noverlays = [o]", "overlay o { x = needs.p }"),
                fine,
            ),
            row(
                "need-read-by-overlay-elsewhere",
                body("needs p = pkgs.hello\noverlays = [o]", "overlay o { x = 1 }"),
                refused("E609"),
            ),
            row(
                "need-read-by-need",
                body("needs p = pkgs.hello\nneeds q = call(needs.p, {})\nattrs { x = needs.q }"),
                fine,
            ),
            row(
                "need-read-by-check",
                body(
                    'needs p = o\nrequire needs.p.variant == "v1" or n == 2 because "x"',
                    "recipe o { package = pkgs.curl }",
                ),
                fine,
            ),
            row(
                "need-read-by-script",
                body('needs p = pkgs.hello\nscript preBuild { part x "{{needs.p}}" }'),
                fine,
            ),
            row("need-of-child", chain("needs p = pkgs.hello", "attrs { x = needs.p }"), fine),
            row("need-of-child-idle", chain("needs p = pkgs.hello", ""), refused("E609")),
            row(
                "need-once",
                body("needs p = pkgs.hello\nwhen n == 2 { attrs { x = needs.p } }"),
                fine,
            ),
            row(
                "need-or-exclude",
                body(
                    'needs p = os or exclude because "x"',
                    "recipe o { package = pkgs.curl }\n"
                    'matrix os { recipe = o, axes = n, name = "o{{n}}" }',
                ),
                fine,
            ),
            row(
                "need-of-recipe-put-in",
                body(
                    "needs p = o\nattrs { x = needs.p }",
                    "recipe o { package = pkgs.curl\nneeds q = pkgs.hello }",
                ),
                refused("E609", "needs q = pkgs.hello"),
            ),
        ),
        rule(
            "a `when` whose condition is true for no variant |",
            row("when-idle", body(f"when {NEVER} {{ attrs {{ x = 1 }} }}"), refused("E602", NEVER)),
            row("when-one", body("when n == 2 { attrs { x = 1 } }"), fine),
            row(
                "when-of-dropped-cell",
                body("when n == 2 { attrs { x = 1 } }") + "exclude n == 2\n",
                refused("E602"),
            ),
            row(
                "when-in-overlay",
                body("overlays = [o]", f"overlay o {{ x = 1, when {NEVER} {{ y = 2 }} }}"),
                refused("E602", NEVER),
            ),
            row(
                "when-of-shadowed",
                chain("when n == 2 { attrs { x = 1 } }", "attrs { x = 2 }"),
                fine,
            ),
        ),
        rule(
            "an overlay or a patch that no variant uses |",
            row("overlay-unused", body("", "overlay o { x = 1 }"), refused("E603")),
            row(
                "overlay-used-once",
                body("overlays = if n == 1 then [o] else []", "overlay o { x = 1 }"),
                fine,
            ),
            row("patch-unused", body("", FIX), refused("E604")),
            row("patch-used", body("overlays = [fix]", FIX), fine),
        ),
        rule(
            "a flag that nothing reads |",
            row("flag-unread", body("flag f: bool = true"), refused("E605")),
            row("flag-read", body("flag f: bool = true\nattrs { x = f }"), fine),
            row(
                "flag-read-by-condition",
                body("flag f: bool = true\nwhen f { attrs { x = 1 } }"),
                fine,
            ),
        ),
        rule(
            "a `warn n = off` for a warning or a lint that does not occur |",
            row(
                "warn-off-idle",
                body("") + f'warn w = {NEVER} because "so"\nwarn w = off because "so"\n',
                refused("E606"),
            ),
            row(
                "warn-off-needed",
                body("") + 'warn w = n == 2 because "so"\nwarn w = off because "so"\n',
                fine,
            ),
        ),
        rule(
            "The compiler reports them only if it compiled all variants without another error, and if the",
            row(
                "idle-beside-error",
                body("attrs { x = 1, x = 2 }") + f"exclude {NEVER}\n",
                refused("E501"),
            ),
            row(
                "idle-with-set",
                body(f"when {NEVER} {{ attrs {{ x = 1 }} }}"),
                fine,
                sets="attrs.x=1",
            ),
            row(
                "idle-with-flag",
                body(
                    f"flag f: bool = true\nattrs {{ y = f }}\nwhen {NEVER} {{ attrs {{ x = 1 }} }}"
                ),
                fine,
                flag="f=true",
            ),
        ),
        rule(
            "Only declarations of the file that you build count, not those of imported modules: a library",
            row(
                "idle-in-library",
                top('use "./lib.tvar"\nmatrix m { recipe = base, axes = n, name = "v{{n}}" }'),
                fine,
                files=LIBRARY,
            ),
        ),
        rule(
            "A recipe that no matrix uses is not checked either.",
            row("idle-in-unused-recipe", body("", LONE), fine),
        ),
    ),
)
