"""What the editor shows about a place: values, facts, names, and the names that fit there."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from support.command import SMALL, put_small, spawn
from support.language_client import Client, Json, applied, position, text_at

OPTIONS = {"tabSize": 2, "insertSpaces": True}
LIBRARY = """\
use std.nvidia
axis gpu = nvidia[sm80, sm90]
pin none-yet { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
recipe base {
  package = pkgs.hello
  attrs { pname = "a", flags = ["-a", "-b"] }
}
recipe torch extends base {
  let word = gpu.label
  when gpu == sm90 { attrs { pname = word because "it is new" } }
}
matrix all { recipe = torch, axes = gpu[sm80, sm90], name = "t-{{gpu}}" }
output nix { file = "{{variant}}.nix" }
"""


def hover(editor: Client, text: str, needle: str, after: int = 0, nth: int = 0) -> str:
    """The text that is shown at a place; empty if there is none."""
    found = editor.at("hover", position(text, needle, after, nth))
    return found["contents"]["value"] if found else ""


def named(editor: Client, text: str, locations: list[Json]) -> list[tuple[str, int, str]]:
    """The file, the line and the text of each place."""
    found = []
    for one in locations:
        file = one["uri"].rpartition("/")[2]
        whole = text if file == "variants.tvar" else Path(one["uri"][7:]).read_text()
        found.append((file, one["range"]["start"]["line"] + 1, text_at(whole, one["range"])))
    return found


# --- hover ----------------------------------------------------------------------------------------


def test_a_value_and_the_fact_behind_it(editor: Client) -> None:
    text = editor.open(text=LIBRARY)
    found = hover(editor, text, "gpu.label", 5)
    assert found.startswith("`gpu.label` is ")
    assert " in `t-sm80`\n" in found
    assert "\nfact of nvidia sm80, std/nvidia.tvar:" in found
    assert "\nsources: " in found


@pytest.mark.parametrize(
    ("needle", "after", "path"),
    [('pname = "a"', 1, "attrs.pname"), ('"-b"', 1, "attrs.flags.1"), ("pkgs.hello", 3, "package")],
)
def test_a_setting_in_the_words_of_explain(
    editor: Client, needle: str, after: int, path: str
) -> None:
    explained(editor, LIBRARY, needle, after, path)


def explained(editor: Client, text: str, needle: str, after: int, path: str) -> None:
    editor.open(text=text)
    (editor.folder / "variants.tvar").write_text(text)
    done = spawn("explain", "t-sm80", path, cwd=editor.folder, code=0)
    words = " ".join(done.stdout.decode().split())  # a terminal has more columns
    assert words in " ".join(hover(editor, text, needle, after).split())


TESTED = LIBRARY.replace(
    "recipe torch", """mixin tested {
  test runs {
    script = \"\"\"
      found name {{gpu}}
    \"\"\"
    expect           = { cc = "sm_{{gpu}}" }
    max-closure-size = "{{if gpu == sm90 then 2 else 1}} GiB"
  }
}
recipe torch""",
).replace("extends base {", "extends base with tested {")


@pytest.mark.parametrize(
    ("needle", "path"),
    [
        ("script =", "test.runs.script"),
        ("expect ", "test.runs.expect"),
        ("max-closure-size", "test.runs.max-closure-size"),
    ],
)
def test_a_field_of_a_test_in_the_words_of_explain(editor: Client, needle: str, path: str) -> None:
    explained(editor, TESTED, needle, 1, path)


def test_the_variant_that_a_condition_admits_and_what_lost(editor: Client) -> None:
    text = editor.open(text=LIBRARY)
    found = hover(editor, text, "pname = word", 1)
    assert "t-sm90\n" in found
    assert "it is new" in found
    assert '"a"' in found


def test_a_value_while_another_variant_has_an_error(editor: Client) -> None:
    """Hover decides only the variant that is shown."""
    text = LIBRARY.replace('flags = ["-a", "-b"]', 'x = if gpu == sm90 then version("?") else "a"')
    editor.open(text=text)
    assert editor.codes() == ["W105", "E305"]
    assert "t-sm80\nattrs" in hover(editor, text, 'pname = "a"', 1)


def test_the_chosen_variant(editor: Client) -> None:
    text = editor.open(text=LIBRARY)
    uri = editor.uri("variants.tvar")

    def run(command: str, *words: str) -> Json:
        return editor.ask("workspace/executeCommand", command=command, arguments=[*words])

    assert run("tvarc.variants", uri) == ["t-sm80", "t-sm90"]
    assert run("tvarc.chooseVariant", "t-sm91") is False
    assert run("tvarc.chooseVariant", "t-sm90") is True
    assert " in `t-sm90`\n" in hover(editor, text, "gpu.label", 5)
    assert run("tvarc.chooseVariant") is True
    assert " in `t-sm80`\n" in hover(editor, text, "gpu.label", 5)


@pytest.mark.parametrize(
    ("needle", "after", "shown"),
    [
        ("sm100 {", 1, "gpu sm100, variants.tvar:8\n  capability = 10.0\n"),
        ("newest =", 1, "`newest` is `false` in `hello-cuda12_8-sm90`\n"),
        ("axis cuda", 6, "axis cuda = [12.8, 13.0]"),
        ("when fast", 6, "`fast` is `true` in "),
        ("recipe = base", 10, "recipe base, variants.tvar:15\n  5 variants\n"),
        ("recipe base", 8, "recipe base, variants.tvar:15\n  5 variants\n"),
        ("matrix all", 8, "matrix all, variants.tvar:35\n  recipe = base\n  axes = gpu (3) * cuda"),
        ("matrix all", 8, "(2)\n  5 variants, 1 of 6 cells dropped\n"),
        ("output nix", 8, "output nix, variants.tvar:42\n"),
    ],
)  # fmt: skip
def test_what_is_declared(editor: Client, needle: str, after: int, shown: str) -> None:
    assert shown in hover(editor, editor.open(), needle, after)


def test_a_recipe_that_extends_another(editor: Client) -> None:
    text = editor.open(text=LIBRARY)
    made = "recipe torch, variants.tvar:8\n  made of base\n  2 variants\n"
    assert made in hover(editor, text, "recipe = torch", 10)
    assert "pin none-yet, variants.tvar:3\n" in hover(editor, text, "none-yet", 2)


def test_the_page_of_a_fault(editor: Client) -> None:
    text = editor.open(text=SMALL + "let x = nobody\n")
    assert "# E201: unknown name\n" in hover(editor, text, "nobody", 2)
    assert hover(editor, text, "let newest", 1) == ""


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("needle", "after", "declared", "uses"),
    [
        ("recipe = base", 10, [15], [15, 36]),
        ("gpu * cuda", 1, [6], [6, 13, 25, 37, 38, 39]),
        ("when fast", 6, [17], [17, 27]),
        ("gpu == sm90", 8, [7], [7, 39]),
    ],
)
def test_a_name_leads_to_its_definition_and_to_its_uses(
    editor: Client, needle: str, after: int, declared: list[int], uses: list[int]
) -> None:
    text = editor.open()
    place = position(text, needle, after)
    found = named(editor, text, editor.at("definition", place))
    assert [line for _, line, _ in found] == declared
    for declaration in (True, False):
        context = {"includeDeclaration": declaration}
        found = named(editor, text, editor.at("references", place, context=context))
        lines = uses if declaration else [one for one in uses if one not in declared]
        assert [line for _, line, _ in found] == lines
    assert len(editor.at("documentHighlight", place)) == len(uses)


def test_definitions_in_the_library(editor: Client) -> None:
    text = editor.open(text=LIBRARY)
    (row,) = named(editor, text, editor.at("definition", position(text, "sm80, sm90]", 1)))
    assert (row[0], row[2]) == ("nvidia.tvar", "sm80")
    (fact,) = named(editor, text, editor.at("definition", position(text, "gpu.label", 5)))
    assert (fact[0], fact[2]) == ("nvidia.tvar", "label")
    (module,) = named(editor, text, editor.at("definition", position(text, "std.nvidia", 5)))
    assert module == ("nvidia.tvar", 1, "")


def test_renaming_in_all_files(editor: Client) -> None:
    """The edits reach all modules. A name that would mean something else is refused."""
    (editor.folder / "shared.tvar").write_text("let word = 1\nlet other = word\n")
    text = 'use "./shared.tvar"\n' + SMALL + "let z = [word, other]\n"
    editor.open(text=text)
    place = position(text, "[word", 2)
    assert text_at(text, editor.at("prepareRename", place)) == "word"
    changes = editor.at("rename", place, newName="better")["changes"]
    assert applied(text, changes[editor.uri("variants.tvar")]) == text.replace("[word", "[better")
    shared = applied("let word = 1\nlet other = word\n", changes[editor.uri("shared.tvar")])
    assert shared == "let better = 1\nlet other = better\n"
    for refused, reason in (
        ("other", "The program would have an error: "),
        ("newest", "The program would have an error: "),
        ("no name", "This cannot be renamed: `no name` is no name in the language."),
        ("if", "This cannot be renamed: `if` is no name in the language."),
        ("gpu", "The program would have an error: "),
    ):
        assert not_renamed(editor, place, refused).startswith(reason), refused


def not_renamed(editor: Client, place: Json, name: str = "") -> str:
    """The reason why what is at *place* does not get this *name*; or any, if that is empty."""
    asked = {"textDocument": {"uri": editor.uri("variants.tvar")}, "position": place}
    what = "rename" if name else "prepareRename"
    code, text = editor.refused(f"textDocument/{what}", **asked, newName=name)
    assert code == -32803
    return text


def test_what_cannot_be_renamed(editor: Client) -> None:
    """The library belongs to nobody here, and a program with errors may have more names."""
    text = editor.open(text=LIBRARY)
    other = "std/nvidia.tvar has the name, too, and is no file of the program."
    library = f"This cannot be renamed: {other}"
    assert not_renamed(editor, position(text, "sm80", 1)) == library
    assert not_renamed(editor, position(text, "sm80", 1), "x") == library
    setting = "This cannot be renamed: it is no name of the program."
    assert not_renamed(editor, position(text, "pname", 1)) == setting
    assert editor.at("prepareRename", position(text, "because", 1)) is None
    assert not_renamed(editor, position(text, "because", 1), "x") == "There is no name here."
    text = SMALL + "let y = nobody\n"
    editor.change(text)
    errors = "Nothing is renamed while the program has errors."
    assert not_renamed(editor, position(text, "newest", 1)) == errors


# --- names that fit -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "first", "others", "not_there"),
    [
        ("gpu.capability >= 10.3", "gpu.|", "capability", [], ["gpu"]),
        ("recipe = base", "recipe = b|", "base", [], ["gpu", "all"]),
        ("gpu * cuda", "gpu * c|", "gpu", ["cuda"], ["newest"]),
        ("gpu * cuda", "gpu[sm|] * cuda", "sm90", ["sm103"], ["gpu"]),
        ("gpu == sm90", "gpu == |", "sm90", ["sm103"], []),
        ("when fast {", "when n| {", "fast", ["newest", "gpu"], ["nix"]),
        ("when fast {", "when f|\n    when fast {", "fast", ["newest"], []),
        ("echo {{gpu}}", "echo {{|}}", "fast", ["gpu", "variant"], []),
        ('pname   = "hello', 'de|\n    pname   = "hello', "buildInputs", ["pname"], ["meta"]),
        ("  package =", "  test a { | }\n  package =", "script", ["max-closure-size"], ["a"]),
        ("  package =", "  test.a.to|\n  package =", "script", ["tools"], ["a"]),
        ("  package =", "  test.a.expect.b = gpu.|\n  package =", "capability", [], ["gpu"]),
        ("  package =", "  me|\n  package =", "package", ["meta", "attrs", "script"], ["axis"]),
        ("sm90  { ", "sm90  { |, ", "capability", [], ["gpu"]),
        ("\nmatrix all", "\nre|\nmatrix all", "language", ["recipe", "matrix"], ["meta"]),
        ("pin nixpkgs {", "pin nixpkgs {\n  |", "github", ["rev", "config"], ["attrs"]),
        ("pin nixpkgs {", "use std.|\npin nixpkgs {", "amd", ["nvidia"], ["gpu", "std.amd"]),
        ("pin nixpkgs {", "use s|\npin nixpkgs {", "std.amd", ["std.nvidia"], ["gpu"]),
        ('path("./fix', 'pa|("./fix', "join", ["path", "url"], ["gpu"]),
        ('path("./fix', 'url("x", h| = "./fix', "url", ["hash"], ["gpu"]),
        ("warn same-build", "warn same|", "impossible-host", ["same-build"], []),
        ("recipe base {", "recipe more extends b|\nrecipe base {", "base", [], ["all"]),
        ("fast: bool", "fast: b|", "string", ["bool"], ["gpu"]),
        ("output nix {", "output flake: f|\noutput nix {", "recipes", ["flake"], []),
    ],
)
def test_names_that_fit(
    editor: Client, old: str, new: str, first: str, others: list[str], not_there: list[str]
) -> None:
    """`|` is the cursor. The text around it need not be a whole item yet."""
    assert old in SMALL
    marked = SMALL.replace(old, new, 1)
    at = marked.index(new) + new.index("|")
    text = marked[:at] + marked[at + 1 :]
    editor.open(text=text)
    found = editor.at("completion", position(text, text[at:]))
    names = [one["label"] for one in found]
    assert names[0] == first
    assert set(others) <= set(names)
    assert not set(not_there) & set(names)
    assert len(set(names)) == len(names)
    (edit,) = [one["textEdit"] for one in found if one["label"] == first]
    typed = new[: new.index("|")].split("\n")[-1].split()[-1:] or [""]
    assert typed[0].endswith(text_at(text, edit["range"]))


RECIPE = "recipe more {\n  package = pkgs.x\n  attrs {\n    "
MATRIX = "matrix more {\n  recipe = base\n  axes = gpu\n  "


@pytest.mark.parametrize(
    ("end", "there", "not_there"),
    [
        (f"{RECIPE}|", "buildInputs", "gpu"),
        (f"{RECIPE}when |", "newest", "buildInputs"),
        (f"{RECIPE}when newest {{\n      p|", "buildInputs", "gpu"),
        (f'{RECIPE}flags = ["a", |', "newest", "buildInputs"),
        (f'{RECIPE}pname = "zstd-{{{{|', "gpu", "buildInputs"),
        (f'{RECIPE}pname = "zstd-{{{{gpu.|', "capability", "gpu"),
        (f'{RECIPE}pname = join(["a", gpu.|', "capability", "gpu"),
        (f'{MATRIX}name = "zstd-{{{{|', "gpu", "capability"),
        (f'{MATRIX}name = "{{{{gpu}}}}", exclude gpu == |', "sm90", "capability"),
        (f"{MATRIX}exclude gpu == |", "sm90", "capability"),
        (f"{MATRIX}exclude gpu.|", "capability", "gpu"),
        (f"{MATRIX}|", "exclude", "capability"),
        ("axis cpu {\n  one { cores = 1 }\n  two { |", "cores", "gpu"),
    ],
)
def test_names_that_fit_at_the_end_of_a_file(
    editor: Client, end: str, there: str, not_there: str
) -> None:
    """Nothing is closed yet that is open there."""
    text = SMALL + end[:-1]
    editor.open(text=text)
    lines = text.split("\n")
    place = {"line": len(lines) - 1, "character": len(lines[-1])}
    names = [one["label"] for one in editor.at("completion", place)]
    assert there in names
    assert not_there not in names


@pytest.mark.parametrize("end", ["extends lib.b|", "extends base with lib.m|"])
def test_names_of_a_module(editor: Client, end: str) -> None:
    kind = "mine" if "with" in end else "base"
    (editor.folder / "lib.tvar").write_text(
        "recipe base { package = pkgs.x }\nmixin mine { attrs { a = 1 } }\nlet word = 1\n"
    )
    for item, there in (
        (f"recipe more {end}", [kind]),
        ("matrix m { recipe = lib.| }", ["base", "mine", "word"]),
        ("let other = lib.|", ["base", "mine", "word"]),
    ):
        marked = f'use "./lib.tvar" as lib\n{SMALL}{item}\n'
        at = marked.index("|")
        text = marked[:at] + marked[at + 1 :]
        editor.open(text=text)
        found = editor.at("completion", position(text, text[at:], nth=text.count(text[at:]) - 1))
        assert [one["label"] for one in found] == there


# --- sources --------------------------------------------------------------------------------------


def test_symbols(editor: Client) -> None:
    text = editor.open()
    found = editor.of("documentSymbol")
    assert [(one["name"], one["detail"]) for one in found] == [
        ("nixpkgs", "pin"), ("gpu", "axis"), ("cuda", "axis"), ("newest", "let"),
        ("base", "recipe"), ("all", "matrix"), ("nix", "output"),
    ]  # fmt: skip
    recipe = found[4]
    inner = [one["name"] for one in recipe["children"]]
    assert inner == ["package", "fast", "attrs", "preConfigure"]
    assert [one["name"] for one in recipe["children"][3]["children"]] == ["one", "when fast"]
    assert text_at(text, recipe["selectionRange"]) == "base"
    assert text_at(text, recipe["range"]).startswith("recipe base {\n")


def test_folds(editor: Client) -> None:
    editor.open()
    found = [(one["startLine"] + 1, one["endLine"] + 1) for one in editor.of("foldingRange")]
    assert sorted(found) == [
        (1, 4), (6, 10), (15, 33), (18, 22), (23, 32), (24, 26), (27, 31), (28, 30), (35, 40),
    ]  # fmt: skip


def test_formatting_as_fmt_does(editor: Client) -> None:
    text = SMALL.replace("  package = pkgs.hello\n", "     package   =pkgs.hello # 😀\n\n\n")
    editor.open(text=text)
    put_small(editor.folder, text)
    assert spawn("fmt", cwd=editor.folder).returncode == 0
    edits = editor.of("formatting", options=OPTIONS)
    assert applied(text, edits) == (editor.folder / "variants.tvar").read_text()
    assert len(edits) < len(text.split("\n")) / 4
    editor.change("let x = [\n")
    assert editor.of("formatting", options=OPTIONS) == []


UGLY = SMALL.replace("  package = pkgs.hello\n", "     package   =pkgs.hello # 😀\n").replace(
    "  recipe = base\n", "     recipe =base\n"
)


def test_formatting_some_lines(editor: Client) -> None:
    text = editor.open(text=UGLY)
    lines = {"start": {"line": 34, "character": 0}, "end": {"line": 36, "character": 0}}
    edits = editor.of("rangeFormatting", range=lines, options=OPTIONS)
    assert applied(text, edits) == UGLY.replace("     recipe =base\n", "  recipe = base\n")


def test_formatting_what_a_bracket_closes(editor: Client) -> None:
    text = editor.open(text=UGLY)
    for line, lower in ((39, "recipe"), (31, None), (32, "package")):
        place = {"line": line, "character": 1}
        edits = editor.at("onTypeFormatting", place, ch="}", options=OPTIONS)
        assert [lower in one["newText"] for one in edits if lower] == [True] * bool(lower)
        assert bool(edits) == bool(lower)
    for other in (text[:-5], ""):
        editor.change(other)
        assert editor.at("onTypeFormatting", place, ch="}", options=OPTIONS) == []


def test_symbols_of_all_programs(editor: Client) -> None:
    (editor.folder / "shared.tvar").write_text("let base-word = 1\n")
    text = 'use "./shared.tvar"\nuse std.nvidia\n' + SMALL + "let y = base-word\n"
    editor.open(text=text)
    put_small(editor.folder, SMALL + "recipe lonely-base { package = pkgs.x }\n", "other.tvar")
    editor.open("other.tvar")
    found = editor.ask("workspace/symbol", query="BAS")
    names = [(one["location"]["uri"].rpartition("/")[2], one["name"]) for one in found]
    assert sorted(names) == [
        ("other.tvar", "base"), ("other.tvar", "lonely-base"), ("shared.tvar", "base-word"),
        ("variants.tvar", "base"),
    ]  # fmt: skip
    row = editor.ask("workspace/symbol", query="s103")[0]
    assert (row["name"], row["containerName"]) == ("sm103", "gpu")
    assert "pname" not in [one["name"] for one in editor.ask("workspace/symbol", query="")]


def test_selecting_more_and_more(editor: Client) -> None:
    text = editor.open()
    place = position(text, "gpu.capability >= 10.3", 6)
    (found,) = editor.of("selectionRange", positions=[place])
    parts = []
    while found:
        parts.append(text_at(text, found["range"]))
        found = found.get("parent")
    assert parts[:4] == [
        "capability", "gpu.capability", "gpu.capability >= 10.3",
        "let newest = gpu.capability >= 10.3",
    ]  # fmt: skip
    assert all(smaller in larger for smaller, larger in pairwise(parts))
    assert len(editor.of("selectionRange", positions=[place, {"line": 999, "character": 0}])) == 2


@pytest.mark.parametrize(
    ("marked", "shown", "argument"),
    [
        ('let x = join(["a"], |)', "join(list, separator)", 1),
        ('let x = join(["a"|], ",")', "join(list, separator)", 0),
        ("let x = join(|", "join(list, separator)", 0),
        ('let x = join(["{{upper(|)}}"], ",")', "upper(text)", 0),
        ('let x = url(hash = |, url = "b")', "url(url, hash?, name?)", 1),
        ('let x = join(["a"], ",")|', "", 0),
        ("let x = 1|", "", 0),
    ],
)
def test_the_signature_of_a_function(
    editor: Client, marked: str, shown: str, argument: int
) -> None:
    text = f"{SMALL}{marked}\n"
    at = text.index("|")
    text = text[:at] + text[at + 1 :]
    editor.open(text=text)
    found = editor.at("signatureHelp", position(text, text[at:], nth=text.count(text[at:]) - 1))
    if not shown:
        assert found is None
        return
    (signature,) = found["signatures"]
    assert signature["label"] == shown
    assert found["activeParameter"] == argument
    assert all(one["label"] in shown for one in signature["parameters"])


PACKAGE = """\
{ lib, stdenv, fetchurl, withDocs ? false }:
let
  other = stdenv.mkDerivation { unrelated = 1; };
in
stdenv.mkDerivation (finalAttrs: {
  pname = "hello";
  src = fetchurl { url = "x"; };
  configureFlags = [ ];
  env.NIX_DEBUG = "1";
  passthru.other = other;
})
"""


@pytest.mark.parametrize(
    ("package", "file"),
    [
        ("hello", "by-name/he/hello/package.nix"),
        ("python3Packages.hello", "development/python-modules/hello/default.nix"),
    ],
)
def test_names_in_the_expression_of_the_package(editor: Client, package: str, file: str) -> None:
    """They are read from a nixpkgs that is on this machine. Nix does not run."""
    nixpkgs = editor.folder / "nixpkgs"
    (nixpkgs / "pkgs" / file).parent.mkdir(parents=True)
    (nixpkgs / "pkgs" / file).write_text(PACKAGE)
    (nixpkgs / "default.nix").write_text("{ }: { }")
    start, end = SMALL.index("  github"), SMALL.index("}\n")
    text = SMALL[:start] + '  path = "./nixpkgs"\n' + SMALL[end:]
    text = text.replace("pkgs.hello", f"pkgs.{package}")
    for block, there, absent in (
        ("attrs", ["pname", "src", "configureFlags", "env", "passthru"], "unrelated"),
        ("args", ["lib", "stdenv", "fetchurl", "withDocs"], "configureFlags"),
    ):
        marked = text.replace("  attrs {\n", f"  {block} {{ | }}\n  attrs {{\n")
        at = marked.index("|")
        typed = marked[:at] + marked[at + 1 :]
        editor.open(text=typed)
        found = editor.at("completion", position(typed, typed[at:]))
        names = {one["label"]: one.get("detail") for one in found}
        assert set(there) <= names.keys()
        assert absent not in names
        assert names[there[2]] == "of the package"
        editor.close()


def test_the_name_in_the_place_of_the_cursor_is_not_offered(editor: Client) -> None:
    """A block without known settings offers those that the program sets elsewhere."""
    text = LIBRARY.replace("  attrs {", "  args { other = true }\n  args { }\n  attrs {", 1)
    editor.open(text=text)
    found = editor.at("completion", position(text, "args { }", 7))
    assert [one["label"] for one in found] == ["other"]


def test_rows_come_with_their_facts(editor: Client) -> None:
    marked = LIBRARY.replace("nvidia[sm80, sm90]", "nvidia[sm80, ]")
    editor.open(text=marked)
    found = editor.at("completion", position(marked, "sm80, ]", 6))
    (row,) = [one for one in found if one["label"] == "sm90"]
    assert "capability" in row["documentation"]["value"]
    assert "sources: " in row["documentation"]["value"]


# --- while a statement is broken ------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    ['"-a"', "script preConfigure {", "package = pkgs.hello", '"hello-{{variant}}"', "flag fast"],
)
def test_the_rest_of_a_declaration_has_answers(editor: Client, broken: str) -> None:
    """The columns of the text after the fault are right, too."""
    text = SMALL.replace(broken, '"😀' + broken[1:-1] + " = [", 1)
    editor.open(text=text)
    assert {"E101", "E102", "E103"} & set(editor.codes())
    assert "base" in [one["name"] for one in editor.of("documentSymbol")]
    place = position(text, "base\n", 1)
    (recipe,) = editor.at("definition", place)
    assert text_at(text, recipe["range"]) == "base"
    assert "`gpu` is `sm90` in " in hover(editor, text, "gpu.capability", 1)
    assert "has errors" in not_renamed(editor, place)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ('input other {\n  url = "https://x.y/z"\n  hash = [\n}\n', 'file(other, "a.nix")'),
        ('input other {\n  hash = unlocked\n  url = \n}\n', 'file(other, "a.nix")'),
        ("", 'url(hash = unlocked)\n    x = ['),
        ("", "join()\n    x = ["),
    ],
)
def test_values_that_read_what_is_broken(editor: Client, source: str, value: str) -> None:
    """They have no value, which is no fault of tvarc."""
    text = source + SMALL.replace('["-a"]', value)
    editor.open(text=text)
    assert {"E101", "E102"} & set(editor.codes())
    for needle in ("flags   = ", value[:4], 'pname   = "', "recipe = base"):
        hover(editor, text, needle, 1)
    assert "`gpu` is `sm90` in " in hover(editor, text, "gpu.capability", 1)


# --- colours --------------------------------------------------------------------------------------


def coloured(editor: Client, text: str) -> list[tuple[str, str]]:
    """Each coloured part of *text*, and what it is."""
    kinds = editor.can["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = editor.of("semanticTokens/full")["data"]
    line = column = 0
    found = []
    for at in range(0, len(data), 5):
        line, column = line + data[at], data[at + 1] + (0 if data[at] else column)
        first = {"line": line, "character": column}
        last = {"line": line, "character": column + data[at + 2]}
        found.append((text_at(text, {"start": first, "end": last}), kinds[data[at + 3]]))
    return found


def test_colours(editor: Client) -> None:
    text = SMALL.replace("let newest", "# 😀 a comment\nlet newest").replace("\n", "\r\n")
    editor.open(text=text)
    found = coloured(editor, text)
    assert found[:6] == [
        ("pin", "keyword"), ("nixpkgs", "class"), ("github", "property"),
        ('"NixOS/nixpkgs"', "string"), ("rev", "property"),
        ('"6a030d535719c5190187c4cec156f335e95e3211"', "string"),
    ]  # fmt: skip
    for part in (
        ("# 😀 a comment", "comment"), ("gpu", "enum"), ("sm90", "enumMember"), ("9.0", "number"),
        ("newest", "variable"), ("attrs", "namespace"), ("pname", "property"),
        ("path", "function"), ("true", "keyword"), ("fast", "variable"), ('"hello-{{', "string"),
        ("variant", "property"), ('}}"', "string"),
    ):  # fmt: skip
        assert part in found
    assert not any("echo" in part for part, _ in found)  # Bash, which the grammar colours
    broken = text.replace('"-a"', '"-a')
    editor.change(broken)
    assert set(coloured(editor, broken)) >= {("sm90", "enumMember"), ("fast", "variable")}
