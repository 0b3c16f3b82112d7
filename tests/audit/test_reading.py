"""What is read from recipes: all that tvarc writes, and what people write by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.compile import ROOT, compile_on_disk, compile_variants
from support.effort import examples, for_each
from support.handmade import AVX512, GOOD_PIN, OLD_PIN, forms, handmade, nightly, outdated
from tvarc.build.assembly.bodies import recipe_text
from tvarc.byhand.audit.answer import says_of
from tvarc.byhand.audit.changes import overlay_names
from tvarc.byhand.audit.model import Added, Fetched, Found, RecipeFacts, Ref, Unread, canonical
from tvarc.byhand.audit.read import read_facts
from tvarc.byhand.reading.marks import PRIVATE
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.nix import ir
from tvarc.nix.language.reader import MAX_BYTES, NotNix
from tvarc.values.plain import json_data, json_text
from tvarc.values.value import Value

NAME = "pytorch-python313-cuda13_0-sm120-avx512"
PARSER = RecipeParser()


def read(text: str) -> RecipeFacts:
    return read_facts(PARSER, text)


def wrapped(body: str) -> str:
    """A recipe of *body*, with nixpkgs as `pkgs`."""
    return "{ pkgs ? import <nixpkgs> { } }:\n" + body


def emitted(recipe: ir.Recipe) -> RecipeFacts:
    return read(recipe_text(recipe, "variants.tvar", recipe.files[0][1]))


@pytest.mark.parametrize(
    ("attribute", "plain", "careful"),
    [
        ("postPatch", '(old.postPatch or "") + "x"', 'toString (old.postPatch or "") + "x"'),
        (
            "patches",
            "(old.patches or [ ]) ++ [ ./a.patch ]",
            "(if (old.patches or null) == null then [ ] else old.patches) ++ [ ./a.patch ]",
        ),
        (
            "makeFlags",
            '(old.makeFlags or [ ]) ++ [ "x" ]',
            'pkgs.lib.remove null (pkgs.lib.toList (old.makeFlags or [ ])) ++ [ "x" ]',
        ),
    ],
)
def test_null_as_none_is_read_as_what_is_there(attribute: str, plain: str, careful: str) -> None:
    one, other = (
        read(wrapped(f"pkgs.hello.overrideAttrs (old: {{ {attribute} = {text}; }})"))
        for text in (plain, careful)
    )
    assert one.gaps == other.gaps == ()
    assert one == other


def test_negative_numbers_are_read() -> None:
    facts = read(wrapped("pkgs.hello.override { least = -3; most = [ (-1) 2 ]; }"))
    assert facts.gaps == ()
    assert [facts.settings[f"args.{name}"].value for name in ("least", "most")] == [-3, (-1, 2)]


@pytest.mark.parametrize(
    "warning",
    [
        'lib.warn "so"',
        'lib.warnIf (lib.versionAtLeast prev.hello.version "2.1") "so"',
        '(if lib.versionAtLeast prev.hello.version "2.1" then lib.warn "so" else lib.id)',
    ],
)
def test_what_only_warns_is_passed_over(warning: str) -> None:
    overlay = "final: prev: {{ hello = {} (prev.hello.overrideAttrs {{ x = 1; }}); }}"
    body = "(import <nixpkgs> {{ overlays = [ ({}) ]; }}).hello"
    head = "{ pkgs ? import <nixpkgs> { }, lib ? pkgs.lib }:\n"
    with_it, without = (read(head + body.format(overlay.format(text))) for text in (warning, ""))
    assert with_it.gaps == without.gaps
    assert [*with_it.effects] == [*without.effects] != []


# --- what tvarc writes -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", ["variants.tvar", *(f"examples/torch-2.{n}/variants.tvar" for n in (8, 9, 10))]
)
def test_all_that_we_write_is_understood(program: str) -> None:
    made = compile_on_disk(ROOT / program)
    recipes = made.recipes()
    assert len(recipes) >= 44
    for recipe in recipes:
        facts = emitted(recipe)
        # What `-=` takes from a list of the package's own is computed by Nix.
        assert [gap for gap in facts.gaps if "builtins.filter" not in gap.text] == []
        assert facts.pin is not None and recipe.pin is not None
        assert (facts.pin.url, facts.pin.rev) == (recipe.pin.url, recipe.pin.rev)
        assert facts.pin.hash == recipe.pin.hash
        for block in (recipe.config, recipe.changes.args):
            for setting in block:
                seen = facts.settings[".".join(setting.path)]
                assert plain(seen.value) == json_data(setting.value)
        assert facts.pname == text_of(recipe, "pname")
        targets = {path.partition(": ")[0] for path in facts.effects}
        assert targets == overlay_names(recipe).keys()


def plain(value: Found) -> Any:
    return list(map(plain, value)) if isinstance(value, tuple) else value


def text_of(recipe: ir.Recipe, key: str) -> Value:
    return next((one.value for one in recipe.changes.attrs if one.key == key), None)


@pytest.mark.slow
def test_flags_and_platforms_are_those_of_the_row() -> None:
    for recipe in compile_variants().recipes():
        facts = emitted(recipe)
        row: Any = next(axis.value for axis in recipe.axes if axis.axis == "isa")
        assert facts.isa_flags == row.facts["flags"].value
        assert facts.texts("meta.platforms") == (row.facts["platform"].value,)


# --- what people write -------------------------------------------------------------------------


@pytest.mark.slow
def test_a_recipe_by_hand_says_what_ours_says() -> None:
    by_hand = read(handmade(NAME))
    (recipe,) = [one for one in compile_variants().recipes() if one.variant in NAME]
    ours = emitted(recipe)
    assert by_hand.gaps == ()
    assert by_hand.pin is not None and by_hand.pin.rev == GOOD_PIN
    assert {k: canonical(s.value) for k, s in by_hand.effects.items()} == {
        k: canonical(s.value) for k, s in ours.effects.items()
    }
    assert forms(by_hand)["pythonPackages.torch: src"] == "override"
    assert by_hand.package is not None and by_hand.package.value == "python3Packages.torch"
    assert by_hand.texts("args.gpuTargets") == ("12.0",)
    assert by_hand.isa_flags == AVX512 == ours.isa_flags
    assert by_hand.pname == ours.pname
    assert by_hand.switches == ()


def test_a_recipe_of_the_older_kind() -> None:
    facts = read(outdated(NAME))
    assert facts.pin is not None and facts.pin.rev == OLD_PIN
    assert facts.effects == {}
    assert facts.package is not None and facts.package.value == "python3Packages.pytorch"
    assert "config.allowBroken" not in facts.settings


def test_every_way_to_switch_magma_off() -> None:
    facts = read(handmade(NAME, magma_off=True))
    assert [(one.part, one.how) for one in facts.switches] == [
        ("magma", "`magma = null`"),
        ("magma", "`-DUSE_MAGMA=OFF`"),
        ("magma", "`USE_MAGMA=0`"),
        ("magma", "filtered out of `buildInputs`"),
    ]


def test_what_is_computed_is_not_guessed() -> None:
    facts = read(nightly())
    assert facts.pin is not None and facts.pin.url == ""
    assert facts.package is not None and isinstance(facts.package.value, Unread)
    assert [gap.what for gap in facts.gaps] == ["package"]
    assert facts.texts("args.gpuTargets") == ("sm_121",)
    assert facts.isa_flags == ("-march=armv9-a+sve+sve2",)


@for_each(
    "body, path, value",
    [
        ("pkgs.hello.overrideAttrs { pname = \"a\" + \"b\"; }", "attrs.pname", "ab"),
        ("with pkgs; hello.overrideAttrs (_: { x = [ 1 ] ++ [ true null ]; })", "attrs.x",
         (1, True, None)),
        ("let inherit (c) y; c = { y = \"z\"; }; in pkgs.hello.overrideAttrs { x = y; }",
         "attrs.x", "z"),
        ("let c = rec { a = \"1\"; b = \"${a}2\"; }; in pkgs.hello.override { x = c.b; }",
         "args.x", "12"),
        ("pkgs.hello.overrideAttrs (final: old: { x = old.x ++ [ \"a\" ]; })", "attrs.x",
         Added(Ref("old.x"), ("a",))),
        ("pkgs.hello.overrideAttrs (old: { x = [ \"a\" ] ++ old.x or []; })", "attrs.x",
         Added(Ref("old.x"), ("a",), 1)),
        ("pkgs.hello.overrideAttrs (old: { x = [ \"a\" ] ++ (old.x or []) ++ [ \"b\" ]; })",
         "attrs.x", Added(Ref("old.x"), ("a", "b"), 1)),
        ("pkgs.hello.overrideAttrs (old: { x = \"a\" + (\"b\" + old.x or \"\"); })", "attrs.x",
         Added(Ref("old.x"), "ab", 2)),
        ("pkgs.hello.overrideAttrs (old: { x = \"a${old.x or \"\"} b\"; })", "attrs.x",
         Added(Ref("old.x"), "a b", 1)),
        ("pkgs.hello.overrideAttrs (old: { x = \"a${old.y}b\"; })", "attrs.x", "a${old.y}b"),
        ("pkgs.hello.overrideAttrs (old: { x = ''\n    a ''${b}\n  ''; })", "attrs.x", "a ${b}\n"),
        ("pkgs.hello.overrideAttrs (old: { x = \"a\\n\\${b}$${c}\"; })", "attrs.x",
         "a\n${b}$${c}"),
        ("pkgs.hello.overrideAttrs (old: { src = pkgs.fetchurl { url = u; sha256 = \"h\"; }; })",
         "attrs.src", Unread("pkgs.fetchurl { url = u; sha256 = \"h\"; }")),
        ("pkgs.hello.overrideAttrs { src = fetchTarball \"https://a.b/c\"; }", "attrs.src",
         Fetched("fetchTarball", (("url", "https://a.b/c"),))),
        ("(pkgs.hello.override { a = 1; }).override { a = 2; }", "args.a", 2),
        ("pkgs.hello.overrideAttrs (old: { meta = old.meta // { broken = false; }; })",
         "meta.broken", False),
        ("pkgs.hello.overrideAttrs (old: { meta.broken = true; } // { meta.broken = false; })",
         "meta.broken", False),
        ("pkgs.hello.overrideAttrs (old: { x = if old.y then 1 else 2; })", "attrs.x",
         Unread("if old.y then 1 else 2")),
    ],
)  # fmt: skip
def test_values(body: str, path: str, value: Found) -> None:
    found = read(wrapped(body)).settings[path].value
    if path == "attrs.src" and isinstance(value, Unread):
        assert found == Fetched("fetchurl", (("url", Ref("u")), ("hash", "h")))
    elif isinstance(value, Unread):
        assert isinstance(found, Unread) and found.text == value.text
    else:
        assert found == value


@for_each(
    "nixpkgs, url, rev",
    [
        ("builtins.fetchTarball \"https://x/archive/" + GOOD_PIN + ".tar.gz\"", None, GOOD_PIN),
        ("fetchTarball { url = \"https://x/nixos-25.05.tar.gz\"; sha256 = \"h\"; }",
         "https://x/nixos-25.05.tar.gz", ""),
        ("builtins.fetchGit { url = \"https://x\"; rev = \"" + GOOD_PIN + "\"; }", "https://x",
         GOOD_PIN),
        ("pkgs.fetchFromGitHub { owner = \"NixOS\"; repo = \"nixpkgs\"; rev = \"25.05\"; }",
         "https://github.com/NixOS/nixpkgs", "25.05"),
        ("<nixpkgs>", "<nixpkgs>", ""),
        ("./nixpkgs", "./nixpkgs", ""),
    ],
)  # fmt: skip
def test_pins(nixpkgs: str, url: str | None, rev: str) -> None:
    pin = read(wrapped(f"let n = {nixpkgs}; p = import n {{ }}; in p.hello")).pin
    assert pin is not None
    assert pin.rev == rev
    assert url is None or pin.url == url


@pytest.mark.parametrize(
    "digest",
    [
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "sha256:0mdqa9w1p6cmli6976v4wi0sw9r4p5prkj7lzfd1877wk11c9c73",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
)
def test_the_hash_of_a_pin_is_the_same_in_each_spelling(digest: str) -> None:
    url = f"https://github.com/NixOS/nixpkgs/archive/{GOOD_PIN}.tar.gz"
    facts = read(
        f'(import (fetchTarball {{ url = "{url}"; sha256 = "{digest}"; }}) {{ }}).hello'
        ".overrideAttrs (old: { })"
    )
    assert facts.pin is not None
    assert facts.pin.hash == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="


@for_each(
    "overlay, path, form",
    [
        ("final: prev: { a = prev.b; }", "a", "set"),
        ("final: prev: { a = prev.a.override { x = 1; }; }", "a: args.x", "package"),
        ("f: p: { haskellPackages = p.haskellPackages.extend (hf: hp: { y = hp.z; }); }",
         "haskellPackages.y", "extend"),
        ("f: p: { gnome = p.gnome.overrideScope (hf: hp: { y = hp.z; }); }", "gnome.y", "scope"),
        ("f: p: { python3 = p.python3.override { packageOverrides = a: b: { t = b.u; }; }; }",
         "pythonPackages.t", "override"),
        ("f: p: { python313Packages = p.python313Packages.override (o: { overrides = "
         "p.lib.composeExtensions (o.overrides or (_: _: { })) (a: b: { t = b.u; }); }); }",
         "pythonPackages.t", "override"),
        ("f: p: { pythonPackagesExtensions = p.pythonPackagesExtensions ++ "
         "[ (a: b: { t = b.u; }) ]; }", "pythonPackages.t", "set"),
    ],
)  # fmt: skip
def test_forms_of_overlays(overlay: str, path: str, form: str) -> None:
    facts = read(wrapped(f"(import <nixpkgs> {{ overlays = [ ({overlay}) ]; }}).hello"))
    assert forms(facts) == {path: form}
    assert facts.gaps == ()
    again = read(wrapped(f"(pkgs.appendOverlays [ ({overlay}) ]).hello"))
    assert forms(again) == forms(facts)


def test_the_form_of_a_member_is_that_of_the_last_overlay() -> None:
    overlays = (
        "(f: p: { gnome = p.gnome.overrideScope (a: b: { y = b.x; }); })"
        " (f: p: { gnome = p.gnome.extend (a: b: { y = b.z; }); })"
    )
    facts = read(wrapped(f"(import <nixpkgs> {{ overlays = [ {overlays} ]; }}).hello"))
    assert forms(facts) == {"gnome.y": "extend"}


def test_an_overlay_that_is_not_written_out_is_a_gap() -> None:
    facts = read(wrapped("(import <nixpkgs> { overlays = [ (import ./o.nix) ]; }).hello"))
    assert [gap.what for gap in facts.gaps] == ["overlays"]
    assert facts.effects == {}


# --- what is no recipe -------------------------------------------------------------------------

DOUBLING = " ".join(f"a{n} = [ a{n + 1} a{n + 1} ];" for n in range(40))


@for_each(
    "text",
    [
        "", "{", "}", "let", "''", '"', "a b c ]", "\0", "x" * (MAX_BYTES + 1), "a." * 6000,
        "(" * 5000 + ")" * 5000, "[" * 400 + "]" * 400, "let a = b; b = a; in a",
        f"let {DOUBLING} in p.override {{ x = a0; }}",
        "{ a,, }: a", "{ a, b,, }: a", "{ , }: a", "\ud800",
        wrapped("pkgs.hello.overrideAttrs { a = 1; a = 2; }"),
        wrapped("pkgs.hello.overrideAttrs { a = 1; inherit (pkgs) a; }"),
    ],
)  # fmt: skip
def test_what_is_no_nix_or_too_much(text: str) -> None:
    with pytest.raises(NotNix):
        read(text)


@for_each("mark", PRIVATE)
def test_characters_that_mark_texts_are_never_lost(mark: str) -> None:
    with pytest.raises(NotNix, match="private-use characters"):
        read(wrapped(f'pkgs.hello.overrideAttrs {{ x = "a{mark}b"; }}'))


def test_doubling_ends() -> None:
    names = " ".join(f'a{n} = "${{a{n + 1}}}${{a{n + 1}}}";' for n in range(40))
    with pytest.raises(NotNix, match="it takes more steps to follow than any recipe"):
        read(wrapped(f"let {names} a40 = ''x''; in pkgs.hello.overrideAttrs {{ x = a0; }}"))


def test_a_set_of_packages_that_is_passed_to_itself_ends() -> None:
    text = """
      { newScope, wrap, join }:
      let
        call = newScope (self // { inherit join; });
        self = {
          plain = call ./plain.nix { };
          wrapped = wrap { cc = self.plain; };
          both = join "${self.plain}" [ self.wrapped self.plain ];
        };
      in self"""
    with pytest.raises(NotNix, match="it takes more steps to follow than any recipe"):
        read(text)


def test_a_text_has_a_size() -> None:
    part = "x" * (1 << 15)
    recipe = "let a = ''%s''; in pkgs.hello.overrideAttrs { x = \"%s\"; }"
    assert read(wrapped(recipe % (part, "${a}" * 8))).package is not None
    with pytest.raises(NotNix, match="larger than in any recipe"):
        read(wrapped(recipe % (part, "${a}" * 9)))


def test_a_comma_after_the_last_argument() -> None:
    assert read("{ pkgs, }: pkgs.hello").package is not None
    assert read("{ pkgs, ..., }: pkgs.hello").package is not None
    facts = read("{ lib, pkgs, }: pkgs.hello.overrideAttrs { x = [ ]; }")
    assert facts.package is not None and facts.gaps == ()
    assert read("{ lib ? 1, pkgs, }@all:\npkgs.hello").package is not None


TOKENS = st.sampled_from(
    ["{", "}", "(", ")", "[", "]", "=", ";", "a", "pkgs", '"', "''", "${", "let ", " in ", ":",
     ".", "//", "++", "+", "with ", "inherit ", "rec ", "overrideAttrs ", "import ", "1", "\n",
     "if ", " then ", " else ", "?", "@", ",", "é", "\\", "old"]
)  # fmt: skip


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.lists(TOKENS, max_size=60))
def test_any_text_is_read_or_refused(tokens: list[str]) -> None:
    try:
        facts = read("".join(tokens))
    except NotNix:
        return
    json_text(says_of(facts, ""))


@settings(max_examples=examples(100))
@given(st.data())
def test_a_damaged_recipe_is_read_or_refused(data: st.DataObject) -> None:
    text = handmade(NAME, magma_off=True)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 60)))
    put = "".join(data.draw(st.lists(TOKENS, max_size=4)))
    try:
        read(text[:start] + put + text[end:])
    except NotNix:
        return
