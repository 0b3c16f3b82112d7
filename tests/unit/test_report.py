"""What explain shows: every value with its place, what it shadowed, and why."""

from __future__ import annotations

import json

import pytest

from support.compile import compile_text, messages
from support.effort import for_each
from tvarc.build.driver import Compilation
from tvarc.commands.explain.text import explain_text
from tvarc.commands.listing.text import Listing, aligned, listing_text
from tvarc.commands.shown.lookup import Unknown, look_up, steps_of
from tvarc.commands.shown.result import result_of
from tvarc.commands.shown.tree import Node, recipe_tree
from tvarc.values.plain import json_data
from tvarc.values.value import MISSING

PROGRAM = r'''# the first line
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis n { one { text = "I", many = [1, 2] } }
overlay o for hello because "it is old" {
  version = 2.0
  args { big = true }
}
recipe base {
  package = pkgs.hello
  overlays = [o]
  attrs {
    a = "first"
    list += ["x", "y"]
    list -= ["z"]
    rec  = { k = [1, { deep = "d" }] }
    "odd.key" = 1
    evil = "\u{1b}[2J\u{202e}"
  }
  script build {
    part main """
      echo {{pkgs.hello}}
    """
  }
}
recipe child extends base {
  flag fast: bool = true because "it is"
  attrs {
    a = "second" because "newer"
    when fast {
      list += ["w"]
      a = "third"
    }
  }
  script build {
    part main """
      echo child
    """
    when fast {
      part extra after main """
        echo extra
      """
    }
  }
}
variant v { recipe = child, axes = n, name = "v" }
output out { file = "{{variant}}.nix" }
'''


def explained() -> tuple[Node, Compilation]:
    made = compile_text(PROGRAM)
    found = made.recipes()
    assert len(found) == 1, messages(made)
    return recipe_tree(found[0]), made


def shown(path: str = "", *, width: int = 100, colour: bool = False, facts: bool = False) -> str:
    tree, made = explained()
    node = look_up(tree, path) if path else tree
    assert isinstance(node, Node), node
    return explain_text(tree, node, made.sources, colour=colour, width=width, facts=facts)


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_a_value_and_what_it_shadowed() -> None:
    assert squeezed(shown("attrs.a")) == [
        "v",
        'attrs.a = "third" child input.tvar:31',
        "when fast input.tvar:29",
        'shadows "first" (child sets it anew) base input.tvar:12',
        'shadows "second" (a condition that holds sets it) child input.tvar:28',
    ]


def test_a_list_element_by_element() -> None:
    assert squeezed(shown("attrs.list")) == [
        "v",
        "attrs.list += base input.tvar:13",
        '0 "x" base input.tvar:13',
        '1 "y" base input.tvar:13',
        '2 "w" child input.tvar:30',
        "when fast input.tvar:29",
        '-= "z" base input.tvar:14',
    ]
    assert squeezed(shown("attrs.list.2"))[1] == 'attrs.list.2 = "w" child input.tvar:30'


def test_a_script_is_shown_part_by_part_with_what_each_replaces() -> None:
    assert squeezed(shown("script.build")) == [
        "v",
        "script build",
        "part old (the package's own script)",
        "part main child input.tvar:35",
        "echo child",
        "shadows (child sets it anew) base input.tvar:20",
        "echo {{pkgs.hello}}",
        "part extra child input.tvar:39",
        "echo extra",
        "when fast input.tvar:38",
    ]
    assert squeezed(shown("script.build.extra"))[1] == "script.build.extra child input.tvar:39"


def test_overlays_say_why_and_where() -> None:
    assert squeezed(shown("overlays")) == [
        "v",
        "overlays",
        "o for hello declared input.tvar:4",
        "because it is old",
        "listed in base input.tvar:10",
        "version = 2.0 o input.tvar:5",
        "args",
        "big = true o input.tvar:6",
    ]


def test_axes_flags_and_files() -> None:
    assert squeezed(shown("axes.n"))[1:] == [
        "n = one input.tvar:3",
        'text = "I" input.tvar:3',
        "many = [1, 2] input.tvar:3",
    ]
    assert "because it is" in squeezed(shown("flags"))
    assert squeezed(shown("files"))[2] == "out = v.nix out input.tvar:46"


@for_each(
    "path, answer",
    [
        ("attrs.rec.k.1.deep", 'attrs.rec.k.1.deep = "d" base input.tvar:15'),
        ('attrs."odd.key"', 'attrs."odd.key" = 1 base input.tvar:16'),
        ("axis.n.text", 'axes.n.text = "I" input.tvar:3'),
        ("flag.fast", "flags.fast = true child input.tvar:26"),
        ("pin.hash", "pin.hash = none yet input.tvar:2"),
        ("list", "attrs.list += base input.tvar:13"),
        ("matrix", "matrix v input.tvar:45"),
        ("recipe", "recipe base → child"),
        ("package", "package = pkgs.hello base input.tvar:9"),
    ],
)
def test_paths(path: str, answer: str) -> None:
    assert squeezed(shown(path))[1] == answer


@for_each(
    "path, suggestion, known",
    [
        ("attrs.lost", "attrs.list", "attrs.a"),
        ("atrs.list", "attrs", "attrs"),
        ("attrs.list.7", None, "attrs.list.0"),
        ("script.build.mian", "script.build.main", "script.build.extra"),
        ("attrs.a.b", None, None),
        ("", None, "attrs"),
        ("attrs.", None, "attrs.a"),
        ("attrs.odd", None, 'attrs."odd.key"'),
    ],
)
def test_unknown_paths(path: str, suggestion: str | None, known: str | None) -> None:
    found = look_up(explained()[0], path)
    assert isinstance(found, Unknown)
    assert found.suggestion() == suggestion
    assert (known in found.known()) if known else found.known() == []


def test_steps() -> None:
    assert steps_of('attrs."a.b".c') == ["attrs", "a.b", "c"]


@pytest.mark.parametrize("width", [1, 50, 77, 100, 500])
def test_rows_fit_and_are_safe(width: int) -> None:
    text = shown(width=width)
    limit = min(max(width, 50), 120)
    assert all(len(line) <= limit for line in text.splitlines() if "github.com" not in line)
    assert all(letter.isprintable() or letter == "\n" for letter in text)
    assert all(line == line.rstrip() for line in text.splitlines())


def test_colour_adds_only_colour() -> None:
    plain = shown()
    coloured = shown(colour=True)
    for code in ("1", "2", "94", "0"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == plain


def test_the_whole_is_complete() -> None:
    text = shown(facts=True)
    tree, _ = explained()
    for node in tree.walk():
        if node.kind in ("setting", "part", "overlay", "axis", "fact") and len(node.path) < 4:
            assert node.label in text


def test_data_gives_each_value_its_origin() -> None:
    tree, made = explained()
    data = json_data(result_of(tree, made.sources), made.sources)
    assert isinstance(data, dict)
    assert json.loads(json.dumps(data)) == data
    assert list(data) == [
        "variant", "matrix", "recipe", "axes", "flags", "pin", "overlays", "package",
        "attrs", "script", "files",
    ]  # fmt: skip
    for node in tree.walk():
        if node.kind in ("setting", "element", "removed"):
            one = json_data(result_of(node, made.sources), made.sources)
            assert isinstance(one, dict)
            assert isinstance(one["origin"], dict)
            assert list(one["origin"]) == ["file", "line", "column", "layer", "conditions"]
    attribute = json_data(result_of(_node(tree, "attrs.a"), made.sources), made.sources)
    assert attribute == {
        "path": "attrs.a",
        "name": "a",
        "value": "third",
        "origin": {
            "file": "input.tvar", "line": 31, "column": 7, "layer": "child",
            "conditions": [{"file": "input.tvar", "line": 29, "column": 10, "text": "fast"}],
        },
        "shadowed": [
            {
                "op": "=", "value": "first", "why": "child sets it anew",
                "origin": {"file": "input.tvar", "line": 12, "column": 5, "layer": "base",
                           "conditions": []},
            },
            {
                "op": "=", "value": "second", "why": "a condition that holds sets it",
                "origin": {"file": "input.tvar", "line": 28, "column": 5, "layer": "child",
                           "conditions": []},
            },
        ],
    }  # fmt: skip


def _node(tree: Node, path: str) -> Node:
    found = look_up(tree, path)
    assert isinstance(found, Node)
    return found


def test_data_of_a_script() -> None:
    tree, made = explained()
    script = json_data(result_of(_node(tree, "script.build"), made.sources), made.sources)
    assert isinstance(script, dict)
    parts = script["parts"]
    assert isinstance(parts, list)
    assert [part["name"] for part in parts if isinstance(part, dict)] == ["old", "main", "extra"]
    first = parts[0]
    assert isinstance(first, dict)
    assert first["own"] is True


def test_list_has_columns() -> None:
    rows = (("a", "1", "22", MISSING), ("bbb", MISSING, "2", "é\x1b"))
    listing = Listing(("name", "x", "y", "z"), frozenset(), rows)
    assert list(listing_text(listing)) == ["a    1  22  -\n", "bbb  -  2   é␛\n"]
    assert list(aligned([])) == []
