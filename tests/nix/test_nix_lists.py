"""Lists that only Nix knows, unset settings, judged by real Nix."""

from __future__ import annotations

from typing import Any

import pytest

from support.alone import emit
from support.compile import codes, compile_text, messages
from support.effort import for_each
from support.nix import requires_nix
from support.recipes import nix_value

pytestmark = [pytest.mark.nix, requires_nix]

# What a recipe without a pin is called with. Packages are sets with a name.
CALLED = """
  let
    lib = {
      optional = yes: one: if yes then [ one ] else [ ];
      genList = builtins.genList;
      remove = one: builtins.filter (each: each != one);
      toList = one: if builtins.isList one then one else [ one ];
    };
    old = {
      __structuredAttrs = true;
      l = [ "own" "other" ];
      r = { a = "own"; b = "own"; };
      inputs = [ zlib curl ];
    };
    zlib = { pname = "zlib"; };
    curl = { pname = "curl"; };
    hello = old // { overrideAttrs = change: old // change old; };
    pkgs = { inherit zlib curl hello lib; };
    recipe = RECIPE;
    given = { inherit hello lib pkgs zlib curl; };
    wanted = builtins.intersectAttrs (builtins.functionArgs recipe) given;
  in removeAttrs (recipe wanted) [ "overrideAttrs" ]
"""


def attributes(parent: str, child: str = "") -> dict[str, Any]:
    """The attributes of the package that the recipe changes."""
    compilation = compile_text(
        f"recipe base {{ package = pkgs.hello, pin = none\nattrs {{ {parent} }} }}\n"
        f"recipe child extends base {{ attrs {{ {child} }} }}\nvariant v {{ recipe = child }}\n"
        'output o { file = "{{variant}}.nix" }\n'
    )
    (file,) = emit(compilation.recipes(), "input.tvar")
    assert codes(compilation) == [], messages(compilation)
    found: dict[str, Any] = nix_value(CALLED.replace("RECIPE", f"(\n{file.text})"))
    return found


@for_each(
    "written, expected",
    [
        ('x = [ "a" ]\nx += nix"""[ "b" "c" ]"""', ["a", "b", "c"]),
        ('x = nix"""[ "b" ]"""\nx += nix"""[ "c" ]"""\nx += ["d"]', ["b", "c", "d"]),
        ('l += nix"""lib.genList (n: "n${toString n}") 2"""', ["own", "other", "n0", "n1"]),
        ('l += ["a"]\nl += nix"""[ "b" ]"""\nl += ["c"]', ["own", "other", "a", "b", "c"]),
        ('l += nix"""lib.optional true "b" """ because "of Nix"', ["own", "other", "b"]),
        ('l += nix"""[ "b" "other" ]"""\nl -= ["other"]', ["own", "b"]),
        ('l += nix"""[ "b" ]"""\nl -= ["b"]\nl += nix"""[ "b" ]"""', ["own", "other", "b"]),
        ('x = ["a"]\nx += nix"""[ "b" ]"""\nx -= ["b", "a"]', []),
        ('x = []\nx += nix"""let y = "b"; in [ y ]"""\nx += nix"""{ }.y or [ ]"""', ["b"]),
        ('x = []\nx += nix"""map (y: y) [ {{[1, 2]}} ]"""', [[1, 2]]),
    ],
)  # fmt: skip
def test_lists_of_nix_stand_among_the_elements(written: str, expected: list[str]) -> None:
    name = written[0]
    assert attributes(written)[name] == expected


def test_packages_are_taken_out_of_what_only_nix_knows() -> None:
    written = 'inputs += nix"""with pkgs; [ zlib curl ]"""\ninputs -= pname("zl*")'
    assert [one["pname"] for one in attributes(written)["inputs"]] == ["curl", "curl"]


def test_a_text_in_parts_is_one_text() -> None:
    parent = '''text {
      part intro """
        It says ''${x}''
          and more.
      """
      when variant == "v" { part own "{{old.l2}}own\\n" }
      part end "the \\"end\\""
    }'''
    child = 'text { part before-all before intro "First,\\n" }'
    text = attributes(parent, child)["text"]
    assert text == "First,\nIt says ''${x}''\n  and more.\nown\nthe \"end\""


@pytest.mark.parametrize(
    ("parent", "child", "name", "expected"),
    [
        ("l = []", "l = none", "l", ["own", "other"]),
        ('l = ["a"]', 'l = none\nl += ["b"]', "l", ["own", "other", "b"]),
        ('l += ["a"]', "l = none", "l", ["own", "other"]),
        ("r = { c = 1 }", "r = none", "r", {"a": "own", "b": "own"}),
        ("r.a = 1\nr.b = 2", "r.a = none", "r", {"a": "own", "b": 2}),
        ("r = { a = 1, b = 2 }", "r.a = none", "r", {"b": 2}),
        ("r.a = 1", "r = none\nr.c = 3", "r", {"a": "own", "b": "own", "c": 3}),
    ],
)
def test_what_is_unset_stays_the_packages_own(
    parent: str, child: str, name: str, expected: object
) -> None:
    assert attributes(parent, child)[name] == expected
