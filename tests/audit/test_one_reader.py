"""What the audit reads does not depend on what it has read before, and changes of changes are read
as Nix applies them."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.families import parametric, put
from tvarc.byhand.audit.answer import says_of
from tvarc.byhand.audit.decided import Kept, decided
from tvarc.byhand.audit.model import Added, Found, Ref
from tvarc.byhand.audit.read import read_facts
from tvarc.byhand.reading.files import Folder
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.values.plain import json_text


def said(parser: RecipeParser, folder: Folder, path: str) -> str:
    """All that the recipe at *path* says."""
    text, fault = folder.text(path)
    assert not fault
    facts = read_facts(parser, text, path=path, read=folder.imported)
    followed = [one.path for one in facts.followed]
    return json_text([says_of(facts, text), facts.perhaps, sorted(followed)])


def test_a_recipe_says_the_same_whatever_was_read_before(tmp_path: Path) -> None:
    files = parametric()
    put(tmp_path, files)
    folder, shared = Folder(str(tmp_path)), RecipeParser()
    paths = [path for path in files if "/" not in path]
    first = [said(shared, folder, path) for path in paths]
    again = [said(shared, folder, path) for path in reversed(paths)]
    alone = [said(RecipeParser(), folder, path) for path in paths]
    assert first == alone == again[::-1]
    assert len(set(alone)) == len(paths) > 3
    assert shared.reduced, "no value of an imported file was kept"


def value(body: str, path: str) -> Found:
    facts = read_facts(RecipeParser(), f"{{ pkgs }}: {body}")
    assert facts.gaps == ()
    return facts.settings[path].value


@pytest.mark.parametrize(
    ("body", "path", "expected"),
    [
        (
            "(pkgs.a.overrideAttrs (old: { x = old.x ++ [ 1 ]; })).overrideAttrs"
            " (old: { x = old.x ++ [ 2 ]; })",
            "attrs.x",
            Added(Ref("old.x"), (1, 2)),
        ),
        (
            "(pkgs.a.overrideAttrs (old: { x = [ 1 ]; })).overrideAttrs"
            " (old: { x = old.x ++ [ 2 ]; })",
            "attrs.x",
            (1, 2),
        ),
        ("pkgs.a.overrideAttrs (old: { x = old.x ++ [ ]; })", "attrs.x", Added(Ref("old.x"), ())),
        ("builtins.import ./none.nix { } // { }", "", None),
    ],
)
def test_changes_of_changes(body: str, path: str, expected: Found) -> None:
    if path:
        assert value(body, path) == expected
    else:
        gaps = read_facts(RecipeParser(), f"{{ pkgs }}: {body}").gaps
        assert [gap.why for gap in gaps][:1] == [
            "it is in another file, which the audit does not read"
        ]


def test_one_computed_name_hides_no_other() -> None:
    text = "{ pkgs, name }: pkgs.a.overrideAttrs (old: { x = 1; ${name} = 2; y = 3; })"
    facts = read_facts(RecipeParser(), text)
    assert {path: seen.value for path, seen in facts.settings.items()} == {
        "attrs.x": 1,
        "attrs.y": 3,
    }
    assert [(gap.what, gap.text, gap.why) for gap in facts.gaps] == [
        ("attrs", "2", "the name of an attribute is computed")
    ]


def test_settings_that_lints_share_keep_their_kinds() -> None:
    kept: Kept = {}
    found = []
    for text in ("1", "true", "[ 1 ]", "[ true ]"):
        facts = read_facts(RecipeParser(), f"{{ pkgs }}: pkgs.a.override {{ x = {text}; }}")
        (one,) = [one for one in decided(facts, "a", kept).changes.args if one.key == "x"]
        found.append(repr(one.value))
    assert found == ["1", "True", "(1,)", "(True,)"]
