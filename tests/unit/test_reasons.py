"""Where a `because` is found again in the emitted Nix."""

from __future__ import annotations

from support.alone import emit
from support.compile import compile_text, messages

PROGRAM = """
recipe hello {
  package = pkgs.hello
  pin     = none
  attrs {
    flags += ["-a", "-b"] because "one"
    flags += ["-c"] because "two"
    flags += ["-d"]
    flags += ["-e", "-f"] because "two"
    names  = ["x", "y"] because "both"
  }
}
variant v { recipe = hello }
output nix { file = "{{variant}}.nix" }
"""


def emitted() -> str:
    made = compile_text(PROGRAM)
    recipes = made.recipes()
    assert not made.sink.has_errors, messages(made)
    (file,) = emit(recipes, made.file)
    return file.text


def test_neighbours_of_one_reason_have_one_comment() -> None:
    lines = [line.strip() for line in emitted().splitlines()]
    start = lines.index("# one")
    found = lines[start : lines.index("];", start)]
    assert found == [
        "# one",
        '"-a"',
        '"-b"',
        "# two",
        '"-c"',
        '"-d"',
        "# two",
        '"-e"',
        '"-f"',
    ]


def test_the_reason_of_a_whole_list_stands_above_it() -> None:
    lines = [line.strip() for line in emitted().splitlines()]
    assert lines.count("# both") == 1
    assert lines[lines.index("# both") + 1].startswith("names = [")
