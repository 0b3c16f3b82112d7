"""What a person sees while typing: one message, near the edit, and the rest of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor.typing_states import EACH, NEAR, PROGRAMS, outcomes, rates
from support.command import ROOT, tvarc
from support.effort import examples
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source


@pytest.mark.slow(seconds=60)
def test_one_message_near_the_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long run takes all 7,200 states. A few of them may miss by more."""
    monkeypatch.chdir(ROOT)
    each = examples(EACH) // 8 if examples(EACH) < EACH else EACH
    found = rates(list(outcomes(each)))
    assert found.near > 90
    assert found.elsewhere < 4
    assert found.lost < 10


def test_the_programs_are_there() -> None:
    assert all((ROOT / file).is_file() for file in PROGRAMS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  attrs {", "  attrs {\n  attrs {"),  # a new block that is not closed
        ("    }\n    when", "    when"),  # a block that is closed no more
        ('["-a", "-b"]', '["-a", "-b"'),
        ('["-a", "-b"]', '["-a", "-b'),
        ("matrix all {", "matrix all"),
        ("matrix all {", "matrix all { axes = "),
        ("  recipe = base\n", "  recipe = \n"),
        ("  recipe = base\n", "  }\n  recipe = base\n"),  # a bracket too many
        ("when gpu == b {", "when gpu == {"),
        ("axis gpu = [", "axis g = ["),
        ("axis gpu = [", "axis gpu = "),
        ("let word", "let w(ord"),
    ],
)
def test_the_rest_of_the_program(old: str, new: str) -> None:
    """The fault is near the edit, and each declaration is still there, with its name."""
    assert old in PROGRAM
    text = PROGRAM.replace(old, new, 1)
    sink = Sink()
    tree = parse_module(Source("variants.tvar", text), sink)
    line = text[: PROGRAM.index(old)].count("\n")
    for one in sink:
        assert one.primary is not None
        assert abs(text.count("\n", 0, one.primary.start) - line) <= NEAR + new.count("\n")
    assert len(sink) == (0 if new.startswith("axis g =") else 1)
    assert [type(item) for item in tree.items] == [ast.Axis, ast.Let, ast.Recipe, ast.Matrix]


def test_a_header_within_a_body_that_is_not_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A brace is missing within an item that is left out: nothing is left out at that place."""
    (tmp_path / "variants.tvar").write_text('pin a {\npin b\n  github = "NixOS/nixpkgs"\n  r')
    monkeypatch.chdir(tmp_path)
    done = tvarc("check", "variants.tvar")
    assert done.exit_code == 1
    assert [line for line in done.output.splitlines() if line.startswith("error")] == [
        "error[E101]: expected `{`, found the end of the line"
    ]


PROGRAM = """\
axis gpu = ["a", "b"]
let word = "w"

recipe base {
  package = pkgs.hello
  attrs {
    flags = ["-a", "-b"]
    when gpu == a {
      flags += ["-c"]
    }
    when gpu == b {
      flags += ["-d"]
    }
  }
}

matrix all {
  recipe = base
  axes   = gpu
  name   = "{{gpu}}"
}
"""
