"""What is emitted."""

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
        "15. What is emitted",
        rule(
            "One self-contained Nix file a variant, or [one for all](#all-variants-in-one-file).",
            row("one-file-each", body(""), writes("v1.nix", "v2.nix")),
        ),
        rule(
            "It begins with a comment that names the variant, its hardware and its source, and with a digest of the rest.",
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
            "By the digest `tvarc build` knows its own work: a file that was edited by hand, or that tvarc did not write, is never overwritten (E801) unless one of two options says so.",
        ),
        *held(
            "cli/test_adopt.py",
            "`--adopt` prints what the file has that the recipe has not",
            "With `--dry-run` it only prints.",
        ),
        *held(
            "nix/test_by_hand.py",
            "`--adopt --if-equal` takes only files of which Nix makes the derivation of the variant, and leaves all others: [nix.md](nix.md#recipes-by-hand).",
        ),
        *held("cli/test_build.py", "`--force` writes the recipe and keeps no copy."),
        *held(
            "cli/test_ownership.py",
            "The first lines of a recipe name the program's file, `variants.tvar` say.",
            "What another program has written is not overwritten either (E801): give the outputs of one of them another `file`.",
            "The other program is looked for where a program that writes there may stand: in the folder of the recipe and those above it, and is named as seen from this one, `../other.tvar`.",
            "If it is not there (a file of another user is not it), it was renamed or removed: its recipes are taken over, and `build` says so.",
            "In a folder that `--out` names, any program may write, so there another name is always another program: after a rename, `--force` takes its recipes over.",
            "Two programs of one file name cannot be told apart by what they wrote, be it in a folder that both name with `--out`.",
        ),
        *told(
            "Name programs that share a folder differently. `--adopt`",
            "Links above these folders are the system's own.",
            "A header does not tell the folder of the program, so that a recipe is the same wherever a checkout stands.",
            "An unchanged copy of a recipe cannot be told from one: keep copies elsewhere, or under another ending.",
        ),
        *held(
            "cli/test_refused_outputs.py",
            "`--out DIR` names the folder that the outputs start from in the place of that of the program, and may lead anywhere",
            "It does not go through a symbolic link that stands in the current folder or that of the program, nor is it one itself (E803)",
            "Nothing is written below a folder `.git`, in any spelling that some file system takes for it, nor where `tvar.lock` stands or would stand, and `--out` does not lead there (E803).",
            "The `file` of an output that names such a place is told of before (E403).",
            'What the program reads is never written to, not even with these: its modules, `tvar.lock`, and the files that `path("…")` names, by whatever name or link an output comes to them (E803).',
            "Nothing is written through a link, and nothing at all when one of the files cannot be: names that are too long, a file where a folder is needed, and folders that do not let files be made are told beforehand.",
        ),
        *held(
            "cli/test_prune.py",
            "`build` removes nothing.",
            "It counts the files of this program that are of no variant any more, and names those of them that were edited; `build --prune` removes the others, after all else is written, and lists them.",
            "A file that differs from one of the program in the variant's name alone is listed as renamed, be the other written by the same run or by one before.",
            "A file is the program's when its header names the program's file",
            "After a change of that folder the files of the old one are nobody's, and after a change of the program's name those that it has no variant for.",
            "Where another program of the same file name may have written too, nothing is removed without `--force`",
            "Name programs that share a folder differently: what another of the same name has written here by `--out` cannot be told from this one's.",
            "A file whose header has a digest, though not its own, was edited by hand: it stays and is named; with `--force` it goes too.",
            "What was written by hand, links, what the program reads, and files of other programs stay in any case.",
            "Folders that are emptied go.",
            "`--prune` looks at the whole program: it does not go with `--only`, `--set` and `--flag`.",
            "After an error nothing is removed.",
            "`--dry-run` writes and removes nothing, and says what would be; `--check` is for CI, and fails where something would be written, or with `--prune` removed.",
        ),
        *held(
            "cli/test_tracking.py",
            "In a git checkout `build` asks git about its recipes, since Flox sees tracked files only",
            "So do `build --check`, of which the exit code does not change by it, and every build until git has them, also one that writes nothing.",
            "`--no-git` asks nothing, and with `--json` and `--dry-run` nothing is asked.",
        ),
        *held(
            "cli/test_ownership.py",
            "A file that is empty, or zeros alone, as a power cut may leave it, is written again.",
        ),
        *held("cli/test_ownership.py", "`--adopt` and `--force` take such files, too."),
        *held(
            "nix/test_ages.py",
            "It is written for the nixpkgs that it pins, [20.09 or later](nixpkgs.md): what that is known to have is used as it is, what it may lack is guarded.",
        ),
        rule(
            "A pinned recipe is a function `{ pkgs ? … }:` that takes only the system from `pkgs` and fetches the pinned nixpkgs itself.",
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
            "`nix-build recipe.nix` needs no search path: where nobody hands `pkgs`, the system is that of the machine.",
            row("no-search-path", body(""), emits("builtins.currentSystem", never=("<nixpkgs>",))),
        ),
        rule(
            "In pure evaluation a caller has to hand it, as callPackage does, or Nix stops with a sentence that says so.",
            row(
                "pure",
                body(""),
                emits(
                    'throw "in pure evaluation this recipe has to be called with `pkgs`, as callPackage does"'
                ),
            ),
        ),
        rule(
            "A recipe that reads `caller` takes more of `pkgs`: there the default is `import <nixpkgs> { }`.",
            row("caller", attrs("x = caller.zlib"), emits("pkgs ? import <nixpkgs> { }")),
        ),
        rule(
            "A recipe with `pin = none` is a function of what it uses, without defaults.",
            row(
                "no-pin",
                body("pin = none\nattrs { x = pkgs.zlib, y = pkgs.curl }"),
                emits("{ curl, hello, zlib, }:", never=("pkgs ?",)),
            ),
        ),
        *held("nix/test_pins.py", "It is called with a nixpkgs, by the callPackage of its [scope](#scopes-what-pkgsname-means):"),
        rule(
            "| string, version, axis value | string |",
            row(
                "emitted-string",
                body('attrs { x = "a", y = 2.10, z = row }', "", MATRIX),
                emits('x = "a";', 'y = "2.10";', 'z = "one";'),
            ),
        ),
        rule(
            "| declaration | none: an error (E306) |",
            row("emitted-declaration", attrs("x = child"), refused("E306", "child")),
        ),
        rule(
            "| integer, boolean, `null`, list, record | the same |",
            row(
                "emitted-others",
                body("passthru { a = 1, b = true, c = null, d = [1], e = { f = 1 } }"),
                emits("a = 1;", "b = true;", "c = null;", "d = [ 1 ];", "e = { f = 1; };"),
            ),
        ),
        rule(
            "a path, relative to the emitted file",
            row("emitted-path", attrs('x = path("./f")'), emits("x = ./f;")),
        ),
        rule(
            "| text with `{{pkgs.x}}` | `${…}` |",
            row("emitted-text", attrs('x = "a{{pkgs.x}}"'), emits('x = "a${pinned.x}";')),
        ),
        rule(
            "a literal; in a string of that text its characters",
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
