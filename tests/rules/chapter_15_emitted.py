"""The emitted files."""

from __future__ import annotations

from support.rules import (
    MATRIX,
    attrs,
    body,
    emits,
    held,
    refused,
    row,
    rule,
    table,
    told,
    twice,
    writes,
)

TABLES = (
    table(
        "The emitted files",
        *told(
            "This page says which files `build` writes, which files it refuses to overwrite or removes,",
            "**Where `build` writes.",
            "**What `build --prune` removes.",
            "**Git.",
            "**Checks without writing.",
            "**The recipe.",
        ),
        rule(
            "Each variant becomes one self-contained Nix file, or all variants become [one file](#all-variants-in-one-file).",
            row("one-file-each", body(""), writes("v1.nix", "v2.nix")),
        ),
        rule(
            "The file begins with a comment that names the variant, its hardware and its source, and has",
            row(
                "head",
                body(""),
                emits(
                    "# v1: 1 # Made by tvarc from input.tvar: matrix m, recipe child.",
                    "# tvarc digest: sha256-",
                ),
            ),
        ),
        *held(
            "unit/test_output_write.py",
            "From the digest `tvarc build` knows its own work. It never overwrites a file that",
        ),
        *held(
            "cli/test_adopt.py",
            "`--adopt` prints what the file has and the recipe has not, and writes the recipe. It keeps the file as `NAME.nix.orig`",
            "With `--dry-run` it only prints.",
        ),
        *held(
            "nix/test_by_hand.py",
            "`--adopt --if-equal` takes only files from which Nix makes the derivation of the variant. It leaves all others: [nix.md](nix.md#recipes-by-hand).",
        ),
        *held("cli/test_build.py", "`--force` writes the recipe and keeps no copy."),
        *held(
            "cli/test_ownership.py",
            "The first lines of a recipe name the program's file, for example `variants.tvar`.",
            "A file that another program wrote is not overwritten either (E801): give the outputs of one",
            "tvarc looks for the other program in the places where a program that writes there can be: in the folder of the recipe and in the folders above it. Messages name it relative to this",
            "If it does not exist there, it was renamed or removed. Then tvarc takes over its recipes, and `build` reports that. A file of another user does not",
            "Any program may write to a folder that `--out` names. So a recipe with another program's name there always belongs to another program. After a rename, `--force` takes over its recipes.",
            "tvarc cannot distinguish two programs of one file name by the files that they wrote. This includes a folder that both",
        ),
        *told(
            "So give programs that share a folder different names.",
            "Links above these folders belong to the system.",
            "A header does not name the folder of the program, so a recipe is the same in every checkout.",
            "An unchanged copy of a recipe looks like a recipe: keep copies in another place, or under another ending.",
        ),
        *held(
            "cli/test_refused_outputs.py",
            "The outputs start from the folder of the program. `--out DIR` names another folder. It may lead anywhere, because you",
            "`--out` cannot be a symbolic link. It cannot lead through one in the current folder or in that of the program either (E803). A checkout may contain such a link,",
            "tvarc writes nothing below a folder `.git`, in any spelling that some file system accepts for it. It does not write to the place of `tvar.lock` either, even if that file does not exist yet. `--out` cannot lead to these places (E803).",
            "If the `file` of an output names such a place, this is reported earlier (E403).",
            "tvarc never writes to files that the program reads, not even with these options: its modules,",
            "tvarc writes nothing through a link. If one of the files cannot be written, it writes no file at all. It checks beforehand for names",
        ),
        *held(
            "cli/test_prune.py",
            "`build` by itself removes nothing.",
            "It counts the files of this program that belong to no variant any more, and names those that were edited. `build --prune` removes the others",
            "A file that differs from another file of the program only in the variant's name is listed as renamed. The other file may come from the",
            "A file belongs to the program if its header names the program's file, for example `variants.tvar`, and it is in a place of an output. That is the folder with which the",
            "After a change of that folder, the files in the old folder belong to no program. After a change of the program's",
            "If another program of the same file name may have written to a folder, nothing is removed there without `--force`. This can be a folder that `--out`",
            "Give programs that share a folder different names: tvarc cannot distinguish the files that",
            "If the digest in the header of a file is not that of its content, the file was edited by hand. It stays, and `build` names it. With `--force` it is removed too.",
            "Files that were written by hand, links, files that the program reads, and files of other programs always stay.",
            "Folders that become empty are removed.",
            "`--prune` needs the whole program: you cannot combine it with `--only`, `--set` and `--flag`.",
            "After an error nothing is removed.",
            "`--dry-run` writes and removes nothing, and prints what would happen. `--check` is for CI. It fails if something would be",
        ),
        *held(
            "cli/test_tracking.py",
            "In a git checkout, `build` asks git about its recipes, because Flox sees tracked files only. It names the recipes that git does not track, with the command that adds them. It names those that git ignores,",
            "`build --check` does this too, and its exit code does not depend on it. Every build does this until git",
            "With `--no-git`, `--json` or `--dry-run`, `build` does not ask git.",
        ),
        *held(
            "cli/test_ownership.py",
            "A file that is empty, or that has only zero bytes, as after a power cut, is written again.",
        ),
        *held("cli/test_ownership.py", "`--adopt` and `--force` take such files, too."),
        *held(
            "nix/test_ages.py",
            "A recipe is written for the nixpkgs that it pins, [20.09 or later](nixpkgs.md). It uses directly what that nixpkgs is known to have. It guards what that nixpkgs may lack.",
        ),
        rule(
            "A pinned recipe is a function `{ pkgs ? … }:`. It takes only the system from `pkgs`,",
            row(
                "pinned",
                body(""),
                emits(
                    "{ pkgs ? {",
                    "inherit (pkgs.stdenv.hostPlatform) system;",
                    "builtins.fetchTarball",
                ),
            ),
        ),
        rule(
            "`nix-build recipe.nix` needs no search path: if no one passes `pkgs`, the system is that of the machine.",
            row("no-search-path", body(""), emits("builtins.currentSystem", never=("<nixpkgs>",))),
        ),
        rule(
            "In pure evaluation a caller must pass `pkgs`, as callPackage does. Otherwise Nix stops with a message that says so.",
            row(
                "pure",
                body(""),
                emits(
                    'throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does"'
                ),
            ),
        ),
        rule(
            "A recipe that reads `caller` takes more from `pkgs`. Its default is `import <nixpkgs> { }`.",
            row("caller", attrs("x = caller.zlib"), emits("pkgs ? import <nixpkgs> { }")),
        ),
        rule(
            "A recipe with `pin = none` is a function without defaults. Its arguments are what it uses.",
            row(
                "no-pin",
                body("pin = none\nattrs { x = pkgs.zlib, y = pkgs.curl }"),
                emits("{ curl, hello, zlib, }:", never=("pkgs ?",)),
            ),
        ),
        *held(
            "nix/test_pins.py",
            "The callPackage of its [scope](#scopes-what-pkgsname-means), in a nixpkgs, calls it:",
        ),
        rule(
            "string, version, axis value | string |",
            row(
                "emitted-string",
                body('attrs { x = "a", y = 2.10, z = row }', "", MATRIX),
                emits('x = "a";', 'y = "2.10";', 'z = "one";'),
            ),
        ),
        rule(
            "declaration | none: an error (E306) |",
            row("emitted-declaration", attrs("x = child"), refused("E306", "child")),
        ),
        rule(
            "integer, boolean, `null`, list, record | the same |",
            row(
                "emitted-others",
                body("passthru { a = 1, b = true, c = null, d = [1], e = { f = 1 } }"),
                emits("a = 1;", "b = true;", "c = null;", "d = [ 1 ];", "e = { f = 1; };"),
            ),
        ),
        rule(
            "a path, relative to the emitted file |",
            row("emitted-path", attrs('x = path("./f")'), emits("x = ./f;")),
        ),
        rule(
            "text with `{{pkgs.x}}` | `${…}` |",
            row("emitted-text", attrs('x = "a{{pkgs.x}}"'), emits('x = "a${pinned.x}";')),
        ),
        rule(
            "a literal; in a string of that text, its characters |",
            row(
                "emitted-in-nix",
                attrs('x = nix""" f {{2.10}} "a{{2.10}}" """'),
                emits('f "2.10" "a2.10"'),
            ),
        ),
        rule(
            "The same input gives the same bytes, on every machine.",
            row("same-bytes", body(""), twice),
        ),
    ),
)
