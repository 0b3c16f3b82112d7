"""An audit knows what it says: constants are computed, all of a script is compared, and what is not
understood is told apart from what differs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.broken import HEAD, file, put, rewrite
from support.command import tvarc
from support.effort import for_each
from support.handmade import GOOD_PIN, forms, handmade
from tvarc.byhand.audit.decided import Pythons
from tvarc.byhand.audit.model import Pin, RecipeFacts, Ref, Unread, same_but_for_python
from tvarc.byhand.audit.read import read_facts
from tvarc.byhand.reading.library import compare_versions
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.commands.line import exits
from tvarc.text.source import Span
from tvarc.values.value import Fact, RowValue, Value, Version

CELL = "sm120-avx512"
PARSER = RecipeParser()
TARBALL = f'fetchTarball "https://github.com/NixOS/nixpkgs/archive/{GOOD_PIN}.tar.gz"'


def read(text: str) -> RecipeFacts:
    return read_facts(PARSER, text)


def value(nix: str) -> Any:
    """What an attribute is read as that is *nix*."""
    arguments = '{ pkgs, lib ? pkgs.lib, on ? true, text ? "a" }'
    return read(f"{arguments}: pkgs.hello.overrideAttrs {{ x = {nix}; }}").settings["attrs.x"].value


def audited() -> tuple[list[tuple[str, str]], str]:
    """Codes and messages of the one file in question, and the text."""
    found = json.loads(tvarc("audit", "--json").stdout)["findings"]
    return [(one["code"], one["message"]) for one in found], tvarc("audit", "--all").stdout


def edited(recipes: Path, old: str, new: str) -> tuple[list[tuple[str, str]], str]:
    """What is told of a recipe of tvarc's that was changed so."""
    rewrite(file(recipes, CELL), old, new)
    found, text = audited()
    return [one for one in found if one[0] != "W204"], text


# --- all of a script ---------------------------------------------------------------------------


def script_line(recipes: Path) -> str:
    """A line of the script of the recipe that does something."""
    return next(
        line for line in file(recipes, CELL).read_text().splitlines() if "export MAX_JOBS" in line
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("# a comment", "in comments and printed text has `# a comment`"),
        ('echo "more"', 'in comments and printed text has `echo "more"`'),
        ("export MORE=1", "has `export MORE=1`, which the matrix does not have"),
        ("", "differs from the matrix in white space"),
    ],
)
def test_whatever_a_script_holds_is_compared(more: str, told: str, recipes: Path) -> None:
    line = script_line(recipes)
    pad = line[: len(line) - len(line.lstrip())]
    found, text = edited(recipes, line, f"{line}\n{pad}{more}" if more else f"{line}\n\n")
    ((code, message),) = found
    assert code == "W213" and message.startswith("`attrs.") and told in message
    assert "in the place of a variant match" not in text


@pytest.mark.slow
def test_the_order_of_lines_is_compared(recipes: Path) -> None:
    text = file(recipes, CELL).read_text()
    lines = re.findall(r"^ +export [A-Z_]+=\S+$", text, re.MULTILINE)
    first, second = lines[0], lines[1]
    file(recipes, CELL).write_text(
        text.replace(first, "@").replace(second, first).replace("@", second)
    )
    found = [one for one in audited()[0] if one[0] != "W204"]
    assert [code for code, _ in found] == ["W213"]
    assert "has the lines in a different order than the matrix" in found[0][1]


def test_what_was_compared_is_said(recipes: Path) -> None:
    put(recipes, CELL, "# mine\n" + file(recipes, CELL).read_text())
    text = tvarc("audit").stdout
    assert "1 of 1 recipe in the place of a variant matches the matrix\n" in text
    assert "  compared: pin, config, overlays, package, name," in text
    assert "scripts with all their text" in text


# --- what is not understood --------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_not_understood_is_no_difference(recipes: Path) -> None:
    """It is told with its reason, its line and its count, and does not decide the exit code."""
    given = "gpuTargets = [ gpuArchSM ]; torch = customPytorch;"
    text = handmade(f"{HEAD}{CELL}").replace("gpuTargets = [ gpuArchSM ];", given)
    put(recipes, CELL, text.replace("let\n", "let\n  customPytorch = f fixed.torch;\n", 1))
    found, shown = audited()
    assert (
        "W217",
        "`args.torch`: `f fixed.torch`: the audit does not apply the function `f`",
    ) in found
    assert all("args.torch" not in text for code, text in found if code != "W217")
    assert "W217 not-understood: 1 part\n" in shown
    assert "\n1 part not understood, in 1 file\n" in shown
    assert json.loads(tvarc("audit", "--json").stdout)["not understood"] == 1


@pytest.mark.slow
def test_what_is_not_understood_may_say_what_is_lacking(recipes: Path) -> None:
    rewritten = "magma = f prev.magma; old-magma = "
    text = handmade(f"{HEAD}{CELL}").replace("magma = ", rewritten, 1)
    put(recipes, CELL, text)
    found, _ = audited()
    assert not any("lacks the overlay `magma-clockrate`" in text for _, text in found)
    assert any(code == "W217" and text.startswith("`magma`: ") for code, text in found)


@for_each(
    "nix, why",
    [
        ("if pkgs.stdenv.isLinux then 1 else 2", "only Nix knows its condition"),
        ("lib.optionals pkgs.stdenv.isLinux [ 1 ]", "only Nix knows its condition"),
        ("!pkgs.stdenv.isLinux", "only Nix knows the condition"),
        ("[ 1 ] ++ lib.optionals pkgs.x [ 2 ]", "only Nix knows its condition"),
        ("import ./x.nix { }", "it is in another file, which the audit does not read"),
        ("f 1", "the audit does not apply the function `f`"),
        ("pkgs.a.override { b = 1; }", "it changes a package in place"),
        ("a: a", "it is a function"),
    ],
)
def test_why(nix: str, why: str) -> None:
    found = value(nix)
    assert isinstance(found, Unread) and found.why == why


# --- constants ---------------------------------------------------------------------------------


@for_each(
    "nix, known",
    [
        ("lib.optional true 1", (1,)),
        ("lib.optional false 1", ()),
        ("lib.optionals true [ 1 2 ]", (1, 2)),
        ("lib.optionals (1 == 2) [ 1 2 ]", ()),
        ("[ 0 ] ++ pkgs.lib.optionals (!false) [ 1 ]", (0, 1)),
        ("with pkgs.lib; optionals on [ 1 ]", (1,)),
        ('let inherit (lib) optionalString; in optionalString on "a"', "a"),
        ('"a${lib.optionalString false "b"}c"', "ac"),
        ("(lib.optionalAttrs on { a = 1; }).a", 1),
        ("lib.mkIf true 1", 1),
        ("lib.mkForce 1", 1),
        ("if on && !false then 1 else 2", 1),
        ('if text == "b" then 1 else 2', 2),
        ("if on -> false then 1 else 2", 2),
        ("if false && pkgs.x then 1 else 2", 2),
        ("if pkgs.x || true then 1 else 2", 1),
        ('if builtins.elem text [ "a" ] then 1 else 2', 1),
        ('if lib.versionAtLeast "2.10" "2.9" then 1 else 2', 1),
        ('if lib.hasPrefix "b" text then 1 else 2', 2),
        ("1 < 2", True),
        ("true == 1", False),
        ('assert on || throw "no"; 1', 1),
    ],
)
def test_conditions_of_constants_are_decided(nix: str, known: Any) -> None:
    assert value(nix) == known and type(value(nix)) is type(known)


def test_a_function_that_is_called_like_one_of_the_librarys_is_not_it() -> None:
    assert value("let optionals = c: v: v; in optionals false [ 1 ]") == (1,)


def test_settings_that_are_left_out() -> None:
    facts = read(
        "{ pkgs, lib }: (pkgs.hello.override ({ a = 1; } // lib.optionalAttrs false { b = 2; }))"
        ".overrideAttrs (o: { x = lib.mkIf false 1; } // lib.optionalAttrs true { y = 1; })"
    )
    assert facts.settings.keys() == {"args.a", "attrs.y"}
    assert facts.gaps == ()


def test_overlays_by_condition() -> None:
    one = "(f: p: { a = p.b; })"
    for listed, seen in (
        (f"lib.optional true {one}", {"a"}),
        (f"lib.optionals false [ {one} ]", set()),
    ):
        facts = read(f"{{ pkgs, lib }}: (pkgs.appendOverlays ([ ] ++ {listed})).hello")
        assert facts.effects.keys() == seen and facts.gaps == ()


@for_each(
    "left, right, order",
    [("2.9", "2.10", -1), ("1.0", "1.0", 0), ("2.3a", "2.3.1", -1), ("1.0pre1", "1.0", -1),
     ("2.3", "2.3pre1", 1), ("1.0.1", "1.0", 1)],
)  # fmt: skip
def test_versions_are_compared_as_nix_does(left: str, right: str, order: int) -> None:
    assert compare_versions(left, right) == order


# --- pins --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        f"{{ pkgs ? import ({TARBALL}) {{ config.allowUnfree = true; }} }}",
        f"{{ nixpkgs ? {TARBALL}, pkgs ? import nixpkgs {{ config.allowUnfree = true; }} }}",
    ],
)
def test_an_argument_that_fetches_its_nixpkgs_is_a_pin(arguments: str) -> None:
    facts = read(f"{arguments}: pkgs.hello.overrideAttrs {{ x = ''${{pkgs.ninja}}''; }}")
    assert facts.pin is not None and facts.pin.rev == GOOD_PIN
    assert facts.settings["config.allowUnfree"].value is True
    assert facts.package is not None and facts.package.value == "hello"
    assert facts.gaps == ()


@pytest.mark.parametrize(
    "default",
    ["import <nixpkgs> { }", "{ stdenv.hostPlatform.system = builtins.currentSystem; }"],
)
def test_any_other_default_is_the_callers(default: str) -> None:
    facts = read(f"{{ pkgs ? {default} }}: pkgs.hello")
    assert facts.pin == Pin("", "", None)


# --- what stands before a body -----------------------------------------------------------------


def test_what_is_asserted_is_seen_through(recipes: Path) -> None:
    """Before the recipe, its bindings, its overlays, what they set, and what they change it by."""
    text = file(recipes, CELL).read_text()
    guard = 'assert pkgs ? lib || throw "this nixpkgs has no lib"; '
    guarded = re.sub(
        r"(\b(?:final|prev|pyFinal|pyPrev|old|_|pkgs)): (?=[{(\[a-z\n])", rf"\1: {guard}", text
    )
    guarded = re.sub(r" = (?=[\[({])", f" = {guard}", guarded)
    guarded = guarded.replace("\nin\n", f"\nin\n{guard}")
    assert guarded.count(guard) > 10
    before, after = read(text), read(guarded)
    assert after.gaps == before.gaps
    assert after.settings == before.settings and after.effects == before.effects
    assert (after.pin, after.package, forms(after)) == (before.pin, before.package, forms(before))


@for_each(
    "overlay, path, form",
    [
        ("f: p: assert p ? gnome || throw \"x\"; { gnome = p.gnome // { y = p.z; }; }", "gnome.y",
         "update"),
        ("f: p: { gnome = let setPrev = p.gnome; in p.gnome // { y = setPrev.z; }; }", "gnome.y",
         "update"),
        ("f: p: { gnome = (p.gnome.\"overrideScope'\" or p.gnome.overrideScope) "
         "(a: b: { y = b.z; }); }",
         "gnome.y", "scope"),
        ("f: p: { gnome = (if p.lib ? x then p.gnome.overrideScope else p.gnome.extend) "
         "(a: b: { y = b.z; }); }", "gnome.y", "scope"),
        ("f: p: p.lib.mapAttrs (name: python: python.override (old: { packageOverrides = "
         "p.lib.composeExtensions (old.packageOverrides or (_: _: { })) (a: b: { y = b.z; }); })) "
         "(p.lib.filterAttrs (name: _: builtins.match \"(python|pypy)[0-9]+\" name != null) p)",
         "pythonPackages.y", "set"),
        ("f: p: { rPackages = p.rPackages.override (old: { overrides = (old.overrides or { }) // "
         "{ y = 1; }; }); }", "rPackages.y", "override"),
    ],
)  # fmt: skip
def test_forms_that_older_nixpkgs_take(overlay: str, path: str, form: str) -> None:
    facts = read(f"{{ pkgs }}: (pkgs.appendOverlays [ ({overlay}) ]).hello")
    assert forms(facts) == {path: form}
    assert facts.gaps == ()


# --- one Python by two names -------------------------------------------------------------------


class _Rows:
    """One release, as the library has it."""

    def all(self, table: str) -> tuple[RowValue, ...]:
        return ()

    def derived(self, kind: str, table: str, make: Callable[[], Any]) -> Any:
        return make()

    def having(self, table: str, field: str, text: str) -> tuple[RowValue, ...]:
        if (table, field, text) != ("nixpkgs-release", "release", "25.11"):
            return ()
        known: dict[str, Value] = {"python3": Version("3.13")}
        facts = {name: Fact(one, Span("x", 0, 0)) for name, one in known.items()}
        return (RowValue(table, "nixos-25_11", facts, Span("x", 0, 0)),)


@for_each(
    "url, rev, known",
    [
        ("https://x/archive/nixos-25.11.tar.gz", "", "3.13"),
        ("https://x/archive/refs/tags/25.11.tar.gz", "", "3.13"),
        ("https://github.com/NixOS/nixpkgs", "25.11", "3.13"),
        ("https://github.com/NixOS/nixpkgs", "release-25.11", "3.13"),
        ("https://x/archive/nixos-24.05.tar.gz", "", ""),
        ("https://x/archive/nixos-unstable.tar.gz", "", ""),
        ("", "", ""),
    ],
)
def test_the_python_of_a_release(url: str, rev: str, known: str) -> None:
    assert Pythons(_Rows())(Pin(url, rev, None)) == known


@pytest.mark.slow
def test_python3_and_its_version_are_one_set_where_that_is_known(recipes: Path) -> None:
    """At the pin of the matrix they are; another version is another set."""
    rewrite(file(recipes, CELL), "python3Packages", "python313Packages")
    assert "W212" not in {code for code, _ in audited()[0]}
    rewrite(file(recipes, CELL), "python313Packages", "python312Packages")
    assert "W212" in {code for code, _ in audited()[0]}


@pytest.mark.slow
def test_where_it_is_not_known_that_is_said(recipes: Path) -> None:
    for path in (Path("variants.tvar"), file(recipes, CELL)):
        rewrite(path, GOOD_PIN, "f" * 40)
    program = Path("variants.tvar").read_text()
    kept = [line for line in program.splitlines() if not line.startswith("warn ")]
    Path("variants.tvar").write_text("\n".join(kept) + "\n")
    assert tvarc("build", "--force").exit_code == exits.OK
    rewrite(file(recipes, CELL), "python3Packages", "python313Packages")
    found, text = audited()
    assert [code for code, _ in found] == ["W204", "W217"]
    assert found[1][1] == (
        "`package` is python313Packages.torch; the matrix has python3Packages.torch: it is not "
        "known which Python `python3` is at this pin"
    )
    assert "1 of 1 recipe in the place of a variant matches the matrix, 1 of them as far" in text


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("python3Packages.a", "python313Packages.a", True),
        ("python3.pkgs.a", "python313Packages.a", True),
        ("python312Packages.a", "python313Packages.a", False),
        ("python3Packages.a", "python313Packages.b", False),
        ("a", "b", False),
    ],
)
def test_what_may_be_one(left: str, right: str, *, same: bool) -> None:
    assert same_but_for_python((Ref(left),), (Ref(right),)) == same


# --- how it is told ----------------------------------------------------------------------------


@pytest.mark.slow
def test_what_files_have_alike_is_told_once(recipes: Path) -> None:
    for path in recipes.glob("*sm90*.nix"):
        rewrite(path, '"-j32"', '"-j7"')
    text = tvarc("audit", "--all").stdout
    assert text.count("was edited by hand") == 1
    assert text.count('lacks "-j32" and has "-j7"') == 1
    count = len(list(recipes.glob("*sm90*.nix")))
    assert f"  all {count} files: it was edited by hand after tvarc wrote it\n" in text
    said = text.partition("What these files say:\n")[2]
    assert said.startswith(f"  all {count} files\n") and said.count(GOOD_PIN) == 1
    for path in recipes.glob("*sm90*.nix"):
        assert text.count(path.name) >= 2
    brief = tvarc("audit").stdout  # what all share is one line
    assert f"  all {count} files: it was edited by hand after tvarc wrote it\n  help" in brief


def test_files_of_no_variant_are_named(recipes: Path) -> None:
    (recipes / "my-tool.nix").write_text("{ stdenv }: stdenv.mkDerivation { }\n")
    sealed = file(recipes, CELL).read_text().replace("from variants.tvar", "from vision.tvar")
    (recipes / "vision.nix").write_text(sealed)
    done = tvarc("audit", code=exits.OK)
    told = "Packages without a variant: 2 files\n"
    assert f"{told}  my-tool.nix\n  vision.nix (from vision.tvar)\n" in done.stdout
    for number in range(20):
        (recipes / f"tool{number}.nix").write_text("{ }: { }\n")
    assert "  and 14 more: --all shows them\n" in tvarc("audit").stdout
    assert "  tool19.nix\n" in tvarc("audit", "--all").stdout
