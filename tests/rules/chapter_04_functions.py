"""Functions."""

from __future__ import annotations

from support.rules import (
    HASH,
    REV,
    Row,
    attrs,
    body,
    emits,
    fine,
    no_value,
    refused,
    row,
    rule,
    table,
    told,
    value,
)

INPUT = f'input i {{ github = "a/b", rev = "{REV}", hash = "{HASH}" }}'
SOURCE = f'rev = "{REV}", hash = "{HASH}"'


def src(name: str, call: str, *texts: str) -> Row:
    return row(name, attrs(f"src = {call}"), emits(*texts))


TABLES = (
    table(
        "Functions",
        *told(
            "With these functions you can change text and versions, fetch sources, and call functions of Nix."
        ),
        rule(
            "the elements in one string; each element must have a text |",
            value("join", 'join(["a", 1, 2.0, row], ", ")', '"a, 1, 2.0, one"'),
            value("join-one", 'join(["a"], ", ")', '"a"'),
            value("join-none", 'join([], ", ")', '""'),
            no_value("join-no-text", 'join([true], "")', "E305", 'join([true], "")'),
        ),
        rule(
            "`split(text, separator)` | a list of strings |",
            value("split", 'split("a-b", "-")', '["a", "b"]'),
            value("split-ends", 'split("-a-", "-")', '["", "a", ""]'),
            value("split-absent", 'split("a", "-")', '["a"]'),
            no_value("split-by-nothing", 'split("a", "")', "E305", 'split("a", "")'),
        ),
        rule(
            "`replace(text, from, to)` | the text with every occurrence replaced |",
            value("replace", 'replace("a-b-c", "-", "+")', '"a+b+c"'),
            value("replace-none", 'replace("abc", "-", "+")', '"abc"'),
            value("replace-away", 'replace("a-b-c", "-", "")', '"abc"'),
        ),
        rule(
            "the text in upper or lower case, for a string, a version or an axis value; only the letters",
            value("upper-beyond-ascii", 'upper("aéßı")', '"Aéßı"'),
            value("lower-beyond-ascii", 'lower("AÉİ")', '"aÉİ"'),
            value("upper-string", 'upper("aB1")', '"AB1"'),
            value("upper-axis", "upper(row)", '"ONE"'),
            value("lower", 'lower("aB1")', '"ab1"'),
            value("upper-version", 'upper(version("2.0rc1"))', '"2.0RC1"'),
            no_value("upper-integer", "upper(n)", "E301", "n"),
        ),
        rule(
            "`flat(version)` | the version without its dots; also for a string |",
            value("flat", "flat(2.10.0)", '"2100"'),
            value("flat-as-written", "flat(2.10)", '"210"'),
            value("flat-string", 'flat("1.2")', '"12"'),
        ),
        rule(
            "the version with `_` for its dots; also for a string |",
            value("under", "under(13.0)", '"13_0"'),
            value("under-string", 'under("1.2.3")', '"1_2_3"'),
        ),
        rule(
            "its first or second part, a string |",
            value("major", "major(13.2)", '"13"'),
            value("minor", "minor(13.2)", '"2"'),
            value("minor-of-three", "minor(13.2.7)", '"2"'),
            value("minor-is-a-string", 'minor(13.2) == "2"', "true"),
        ),
        rule(
            "a function of Nix, applied to the arguments after it and to nothing else; if `F` is a file,",
            src("call", "call(pkgs.f, { a = n }, 2)", "src = pinned.f { a = 1; } 2;"),
            src("call-text", 'call(nix"""x: x""", [1])', "src = (x: x) [ 1 ];"),
            row(
                "call-file",
                attrs('src = call(path("./f.nix"), 1)'),
                emits("src = import ./f.nix 1;"),
                files={"f.nix": ""},
            ),
            row("call-of-text", attrs('x = call("f", 1)'), refused("E301", '"f"')),
            row("call-of-mixed", attrs('x = call("{{pkgs.f}}", 1)'), refused("E301")),
            row("call-of-list", attrs("x = call([pkgs.f], 1)"), refused("E301")),
            row("call-of-nothing", attrs("x = call(pkgs.f)"), refused("E211")),
            row("call-no-function", attrs("x = call()"), refused("E211")),
            row("call-named", attrs("x = call(pkgs.f, a = 1)"), refused("E211")),
            row("call-of-a-recipe", attrs("x = call(child, 1)"), refused("E306", "child")),
            row("call-with-a-recipe", attrs("x = call(pkgs.f, child)"), refused("E306", "child")),
            row(
                "call-with-none",
                attrs("x = call(pkgs.f, none)"),
                refused("E301", "call(pkgs.f, none)"),
            ),
            row(
                "call-with-none-within",
                body("package = call(pkgs.f, { a = none })"),
                refused("E301"),
            ),
            row("call-decides", attrs("x = if call(pkgs.f, 1) then 1 else 2"), refused("E302")),
            row(
                "call-in-text",
                attrs('x = "a {{call(pkgs.f, 1)}}"'),
                emits('x = "a ${pinned.f 1}";'),
            ),
        ),
        rule(
            "a file of an [input](#input), by its path within that input |",
            row("file", attrs('x = file(i, "a.nix")', INPUT), emits('x = i-input + "/a.nix";')),
            row("file-of-nothing", attrs('x = file(pkgs.a, "a.nix")'), refused("E301", "pkgs.a")),
            row("file-of-a-path", attrs('x = file("./a", "a.nix")'), refused("E301", '"./a"')),
            row("file-unknown", attrs("x = file(i, pkgs.a.name)", INPUT), refused("E302")),
        ),
        rule(
            "`version(text)` | a version from a string |",
            value("version", 'version("2.11.0rc1")', "2.11.0rc1"),
            value("version-without-dot", 'version("13") == 13.0', "true"),
            no_value("version-no-digit", 'version("rc1")', "E305", 'version("rc1")'),
            no_value("version-blank", 'version("1 0")', "E305", 'version("1 0")'),
        ),
        rule(
            "a file or folder, relative to the `.tvar` file; it must exist (E106); the string is the same",
            row("path-absolute", attrs('x = path("/a.patch")'), refused("E703", '"/a.patch"')),
            row(
                "path-absolute-there",
                attrs('x = path("/etc/passwd")'),
                refused("E703", '"/etc/passwd"'),
            ),
            row("path", attrs('x = path("./a.patch")'), emits("x = ./a.patch;")),
            row(
                "path-of-output",
                attrs('x = path("./a.patch")').replace("{{variant}}.nix", "out/{{variant}}.nix"),
                emits("x = ../a.patch;"),
            ),
            row("path-missing", attrs('x = path("a.patch")'), refused("E106", 'path("a.patch")')),
            row(
                "path-varies",
                attrs('x = path("./{{n}}.patch")'),
                refused("E305", '"./{{n}}.patch"'),
            ),
        ),
        rule(
            "a source; `rev` may replace `tag`; also takes `submodules`, `name` |",
            src(
                "github-tag",
                f'github("a/b", tag = "v1", hash = "{HASH}")',
                'owner = "a"',
                'repo = "b"',
                "v1",
            ),
            src("github-rev", f'github("a/b", {SOURCE})', f'rev = "{REV}";'),
            src(
                "github-more",
                f'github("a/b", {SOURCE}, submodules = true, name = "s")',
                "fetchSubmodules = true;",
                'name = "s";',
            ),
            row(
                "github-both", attrs(f'src = github("a/b", tag = "v1", {SOURCE})'), refused("E703")
            ),
            row("github-neither", attrs(f'src = github("a/b", hash = "{HASH}")'), refused("E703")),
        ),
        rule(
            "`url(url, hash = …)` | a source; also takes `name` |",
            src(
                "url",
                f'url("https://a.org/b", hash = "{HASH}", name = "s")',
                'url = "https://a.org/b";',
                'name = "s";',
            ),
        ),
        rule(
            "only after `-=`: the packages whose `pname` fits the pattern, with `*` and `?` as in a shell |",
            row("pname", attrs('x -= pname("cuda*")'), fine),
            row("pname-set", attrs('x = [pname("cuda*")]'), refused("E305")),
            row("pname-added", attrs('x += [pname("cuda*")]'), refused("E305")),
        ),
        rule(
            "Give arguments in order or by name. For `github` and `url`, only the",
            value("by-name", 'replace(to = "+", text = "a-b", from = "-")', '"a+b"'),
            value("some-by-name", 'replace("a-b", to = "+", from = "-")', '"a+b"'),
            row("by-name-twice", attrs('x = upper("a", text = "b")'), refused("E211")),
            row("too-many", attrs('x = upper("a", "b")'), refused("E211")),
            row("too-few", attrs("x = upper()"), refused("E211")),
            row(
                "github-second-named",
                attrs(f'src = github("a/b", "v1", hash = "{HASH}")'),
                refused("E211"),
            ),
            row(
                "url-second-named",
                attrs(f'src = url("https://a.org/b", "{HASH}")'),
                refused("E211"),
            ),
            row("unknown-function", attrs('x = nothing("a")'), refused("E211")),
        ),
        rule(
            "`rev` is a whole commit id, 40 digits in lower case (E702). Write a branch or a tag as `tag`.",
            *[
                row(
                    f"rev-{name}",
                    attrs(f'src = github("a/b", rev = "{rev}", hash = "{HASH}")'),
                    refused("E702", f'"{rev}"'),
                )
                for name, rev in (
                    ("39", "a" * 39),
                    ("41", "a" * 41),
                    ("upper", "A" * 40),
                    ("branch", "main"),
                    ("no-digit", "g" * 40),
                )
            ],
            src("rev-40", f'github("a/b", rev = "{"a" * 40}", hash = "{HASH}")', "a" * 40),
        ),
        rule(
            "`hash` is required. It is an SRI hash or [`unlocked`](#unlocked-hashes).",
            row("hash-missing", attrs('src = github("a/b", tag = "v1")'), refused("E701")),
            row(
                "hash-bad", attrs('src = github("a/b", tag = "v1", hash = "abc")'), refused("E701")
            ),
            row(
                "hash-unlocked",
                attrs('src = github("a/b", tag = "v1", hash = unlocked)'),
                refused("W002"),
            ),
        ),
        rule(
            "The functions from `join` to `minor` also take a value that only Nix knows. They then become Nix code, such",
            *[
                row(f"nix-{call.split('(')[0]}", attrs(f"x = {call}"), emits(f"{nix}"))
                for call, nix in (
                    ('join(old.y, ",")', "concatStringsSep"),
                    ('split(old.y, ",")', "split"),
                    ('replace(old.y, "a", "b")', "builtins.replaceStrings"),
                    ("upper(old.y)", "toUpper"),
                    ("lower(old.y)", "toLower"),
                    ("flat(old.y)", "builtins.replaceStrings"),
                    ("under(old.y)", "builtins.replaceStrings"),
                    ("major(old.y)", "lib.versions.major old.y"),
                    ("minor(old.y)", "lib.versions.minor old.y"),
                )
            ],
            row("nix-version", attrs("x = version(old.y)"), refused("E302")),
        ),
    ),
)
