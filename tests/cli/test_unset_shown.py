"""What the commands show of unset settings, lists from Nix text, and texts in parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.test_schemas import holds
from support.command import tvarc
from support.html import page_entries
from tvarc.commands.line import exits

PROGRAM = '''\
axis n = [1, 2]
recipe base {
  package = pkgs.hello
  pin     = none
  attrs {
    jobs  = 8
    r.a   = 1
    r.b   = 2
    hint { part one "one" }
  }
  meta {
    longDescription {
      part intro "For {{n}}.\\n"
      when n == 1 { part first "The first.\\n" }
    }
  }
}
recipe child extends base {
  attrs {
    jobs = none because "the package knows"
    r.a  = none
    libs += nix"""with pkgs; [ zlib ]"""
    libs -= [pkgs.zlib]
    when n == 1 { hint = none }
  }
  meta {
    longDescription {
      when n == 2 { part intro = none }
      part end "The end.\\n"
    }
  }
}
matrix m { recipe = child, axes = n, name = "v{{n}}" }
output nix { file = "{{variant}}.nix" }
'''


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "variants.tvar").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown(*words: str) -> str:
    result = tvarc(*words, code=exits.OK if words[0] != "diff" else exits.DIFFERENT)
    return " ".join(result.stdout.split())


def line_of(text: str) -> str:
    found = [n for n, line in enumerate(PROGRAM.splitlines(), start=1) if text in line]
    assert len(found) == 1
    return f"variants.tvar:{found[0]}"


def test_explain_shows_what_is_unset_and_what_that_took_out() -> None:
    text = shown("explain", "v1", "attrs.jobs")
    assert f"attrs.jobs (unset) child {line_of('jobs = none')} because the package knows" in text
    assert "shadows 8 (child sets it anew: recipe child's `=` over recipe base's `=`)" in text
    assert "a (unset)" in shown("explain", "v1", "attrs.r")
    assert "attrs.r.a (unset)" in shown("explain", "v1", "attrs.r.a")
    assert 'shadows part "one"' in shown("explain", "v1", "attrs.hint")
    assert "jobs (unset)" in shown("explain", "v1")


def test_explain_shows_lists_of_nix_as_one_element() -> None:
    text = shown("explain", "v1", "attrs.libs")
    assert 'nix"""with pkgs; [ zlib ]""" (a list that only Nix knows)' in text
    assert "-= pkgs.zlib" in text
    assert "that only Nix knows" in shown("explain", "v1", "attrs.libs:0")


def test_explain_shows_the_parts_of_a_text() -> None:
    text = shown("explain", "v1", "meta.longDescription")
    assert f"part intro base {line_of('For {{n}}')} For 1." in text
    assert f"part first base {line_of('part first')} The first. when n == 1" in text
    other = shown("explain", "v2", "meta.longDescription")
    assert "part first" not in other
    assert f"part intro (taken out) child {line_of('part intro = none')}" in other
    assert "The end." in shown("explain", "v2", "meta.longDescription.end")
    assert line_of("part first") in shown("explain", "v1", "meta.longDescription:2")
    page = page_entries(tvarc("report", "v1", "--html", "-").stdout)
    assert page["meta.longDescription.first"]["text"] == "The first.\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("jobs = none", "in all 2 variants: unsets attrs.jobs"),
        ("r.a  = none", "in all 2 variants: unsets attrs.r.a"),
        ("hint = none", "in v1: unsets attrs.hint"),
        ("part intro = none", "in v2: takes part intro out of meta.longDescription"),
        ("jobs  = 8", "it is shadowed in 2 of 2 variants by "),
        ("part first", "in v1: line"),
        ('libs += nix"""', "affects 2 of 2 variants"),
        ("libs -= ", "affects 2 of 2 variants"),
    ],
)
def test_who_tells_what_a_line_unsets(line: str, said: str) -> None:
    assert said in shown("who", line_of(line))


def test_diff_names_the_line_that_unset_a_setting(here: Path) -> None:
    (here / "old.tvar").write_text(
        PROGRAM.replace("    jobs = none because", "    more = 1 because")
    )
    text = shown("diff", "--against", "old.tvar")
    assert f"attrs.jobs - 8 {line_of('jobs = none')}" in text
    two = shown("diff", "v1", "v2")
    assert "meta.longDescription.first" in two
    assert "attrs.jobs" not in two


SCOPED = """\
pin one { url = "https://example.org/n.tar.gz", hash = "HASH" }
recipe base {
  package = pkgs.hello
  scope   = pkgs.python3Packages
}
recipe other extends base {
  scope = pkgs.perlPackages
}
recipe top extends base {
  scope = none because "it is no Python package"
}
variant v-base { recipe = base }
variant v-other { recipe = other }
variant v-top { recipe = top }
output nix { file = "{{variant}}.nix" }
""".replace("HASH", "sha256-0NBlEBKkN3lufyvFegY4TYv5mCNHbi5OmBDrzihbBMQ=")


def test_a_scope_and_its_removal_are_shown(here: Path) -> None:
    (here / "variants.tvar").write_text(SCOPED)
    assert "scope = pkgs.python3Packages" in shown("explain", "v-base")
    text = shown("explain", "v-top")
    assert "scope (unset) variants.tvar:10 because it is no Python package" in text
    assert "shadows pkgs.python3Packages (top sets it anew)" in text
    assert "scope (unset)" in shown("explain", "v-top", "scope")
    (here / "old.tvar").write_text(SCOPED.replace('scope = none because "it is', 'attrs.x = "'))
    text = shown("diff", "--against", "old.tvar")
    assert "scope - pkgs.python3Packages variants.tvar:10" in text
    data = json.loads(tvarc("explain", "v-top", "--json").stdout)
    assert data["scope"]["unset"] is True
    holds("explain", "v-top")


def test_who_tells_what_a_scope_reaches(here: Path) -> None:
    (here / "variants.tvar").write_text(SCOPED)
    assert tvarc("build", "--no-git").exit_code == exits.OK
    lines = (here / "v-base.nix").read_text().splitlines()
    named = [str(n) for n, line in enumerate(lines, start=1) if "python3Packages" in line]
    assert len(named) == 3
    text = shown("who", "variants.tvar:4")
    assert f"affects 1 of 3 variants in v-base: lines {named[0]}, {named[1]}-{named[2]}" in text
    assert "affects 1 of 3 variants in v-other: lines" in shown("who", "variants.tvar:7")
    assert "in v-top: unsets scope (variants.tvar:10)" in shown("who", "variants.tvar:10")


@pytest.mark.slow
def test_data_tells_it_as_the_schema_says() -> None:
    for name in ("v1", "v2"):
        holds("explain", name)
        holds("explain", name, "attrs.libs")
        holds("explain", name, "meta.longDescription")
    holds("who", line_of("jobs = none"))
    data = json.loads(tvarc("explain", "v1", "attrs", "--json").stdout)
    by_name = {one["name"]: one for one in data}
    assert by_name["jobs"]["unset"] is True
    assert by_name["jobs"]["shadowed"][0]["value"] == 8
    assert by_name["libs"]["elements"][0]["spread"] is True
    assert [one["name"] for one in by_name["r"]["keys"]] == ["b", "a"]
