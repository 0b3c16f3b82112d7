"""The layout of the language, by example: what goes in, and what `tvarc fmt` makes of it."""

from __future__ import annotations

import pytest

from support.compile import ROOT
from support.effort import for_each
from support.fences import FENCE
from tvarc.syntax.format import format as formatting
from tvarc.syntax.format.break_points import WIDTH
from tvarc.syntax.format.format import format_source
from tvarc.syntax.format.layout import indented
from tvarc.syntax.format.trivia import read_trivia
from tvarc.text.diagnostics.model import CompilerBug, Sink
from tvarc.text.source import Source

# Files of the house that have to be formatted, and documents whose blocks have to be.
HOUSE = sorted(
    str(path.relative_to(ROOT))
    for path in (
        ROOT / "variants.tvar",
        *ROOT.glob("stdlib/*.tvar"),
        *ROOT.glob("examples/**/*.tvar"),
    )
)
DOCUMENTS = ("README.md", "docs/format.md")


def formatted(text: str) -> str:
    sink = Sink()
    made = format_source(Source("a.tvar", text), sink)
    assert made is not None, [item.title for item in sink]
    return made


def stays(text: str) -> None:
    assert formatted(text) == text


CASES = {
    "indentation and blanks": (
        "recipe  r{\n\tpackage=p . hello\n      attrs{\n  x  =[ 1,2 ,3 ]\n\n\n\n\ty= a [ 0 ]\n}\n}",
        "recipe r {\n  package = p.hello\n  attrs {\n    x = [1, 2, 3]\n\n    y = a[0]\n  }\n}\n",
    ),
    "lines and commas": (
        "a { x = 1, y = 2,\n z = 3 }\nb { x = 1, }\nc {\n}\nd = [\n]\n",
        "a {\n  x = 1, y = 2\n  z = 3\n}\nb { x = 1 }\nc { }\nd = []\n",
    ),
    "empty lines": (
        "\n\n\nlet a = 1\n\n\n\nlet b = 2\nx {\n\n  let c = 3\n\n}\n\n\n",
        "let a = 1\n\nlet b = 2\nx {\n  let c = 3\n}\n",
    ),
    "a carriage return in a text": ('let h = """\n  a\r\r\n"""\n', 'let h = """\n  a\r\r\n"""\n'),
    "line ends": ("let a = 1\r\n# c\r\nlet b = 2", "let a = 1\n# c\nlet b = 2\n"),
    "a byte order mark": ("\ufeff# c\nlet a = 1\n", "# c\nlet a = 1\n"),
    "nothing": ("\n \n", ""),
    "comments alone": ("\n\n  # a\n\n\n#b\n", "# a\n\n#b\n"),
    "signs": (
        "x = 1\nlonger += [1]\ny -= [2]\n\nnext = 3\n# why\nz = 4\nforce q = 5\n",
        "x       = 1\nlonger += [1]\ny      -= [2]\n\nnext = 3\n# why\nz    = 4\nforce q = 5\n",
    ),
    "signs beside texts": (
        'x = """\n  a\n"""\nlonger = 1\n',
        'x      = """\n  a\n"""\nlonger = 1\n',
    ),
    "a text of blank lines": ('x = """\n    \n      \n  """\n', 'x = """\n\n\n"""\n'),
    "braces": (
        "args { a = 1 }\nattrs { b = 2 }\nmeta {\n  c = 3\n}\n",
        "args  { a = 1 }\nattrs { b = 2 }\nmeta {\n  c = 3\n}\n",
    ),
    "branches": (
        "when a { x = 1 }\nelse when bb {\n}\nelse{ x=2 }\nwhen c { x = 1 }\n",
        "when a { x = 1 } else when bb { } else { x = 2 }\nwhen c { x = 1 }\n",
    ),
    "branches over several lines": (
        "when a { x = 1 } else when b { x = 2 } else {\n x=3 }\n",
        "when a {\n  x = 1\n} else when b {\n  x = 2\n} else {\n  x = 3\n}\n",
    ),
    "branches too wide for a line": (
        f"when a {{ x = {'a' * 60} }} else {{ x = {'b' * 60} }}\n",
        f"when a {{\n  x = {'a' * 60}\n}} else {{\n  x = {'b' * 60}\n}}\n",
    ),
    "braces of other shapes": (
        "recipe a { x = 1 }\nrecipe bb { x = 1 }\nrecipe c extends a { x = 1 }\n",
        "recipe a  { x = 1 }\nrecipe bb { x = 1 }\nrecipe c extends a { x = 1 }\n",
    ),
    "nothing is aligned where items share lines": (
        "row {\n  a = 1, bc = 2\n  long = 3\n  d = 4\n}\n",
        "row {\n  a = 1, bc = 2\n  long = 3\n  d = 4\n}\n",
    ),
    "reasons": (
        'exclude a\n            because "x"\nexclude b because "y"\n',
        'exclude a\n  because "x"\nexclude b because "y"\n',
    ),
    "conditions": (
        "when a\n      and b\n      or c {\n  x = if a\n  then 1\n  else 2\n}\n",
        "when a\n  and b\n  or c\n{\n  x = if a\n    then 1\n    else 2\n}\n",
    ),
    "a brace on a line of its own": ("when a\n\n{\n  x = 1\n}\n", "when a {\n  x = 1\n}\n"),
    "calls": (
        'x = url("a",\n    hash = "b", name = "c")\ny = url( "a",\n  hash = "b"\n)\nz=f(\n"a")\n',
        'x = url("a",\n        hash = "b", name = "c")\n'
        'y = url(\n  "a",\n  hash = "b",\n)\nz = f(\n  "a",\n)\n',
    ),
    "lists": ("x = [1, 2,\n 3\n]\n", "x = [\n  1, 2,\n  3,\n]\n"),
    "numbers and dots": ("x = 1 .a\ny = t[2.0 .. 3.0]\n", "x = 1 .a\ny = t[2.0..3.0]\n"),
    "types": (
        "facts t(a :string ?,b:[ int ],\n c:one_of ( 1,2 )){ }\n",
        "facts t (\n  a: string?, b: [int],\n  c: one_of(1, 2),\n) { }\n",
    ),
}


@for_each("name", CASES)
def test_layout(name: str) -> None:
    before, after = CASES[name]
    assert formatted(before) == after
    stays(after)


COMMENTS = """\
# at the head

# before an item
let a = 1  # beside it
recipe r {  # beside a brace
  # alone at the top
  package = pkgs.hello
  attrs {
    x = [  # beside a bracket
      # in a list
      1,  # beside an element
      2,
      # at the end of a list
    ]
    y = f(
      1,  # first
      # second
      2,
    )
    z = a  # beside a value
      # before a word
      and b
  }
  meta {
    # in an empty block
  }
  when a  # beside a condition
  {
    b = 1
  }

  # at the end of a block
}
# at the end
"""


def test_comments_stay_where_they_are() -> None:
    stays(COMMENTS)
    squeezed = "\n".join(line.strip() for line in COMMENTS.split("\n"))
    assert formatted(squeezed) == COMMENTS


def test_comments_at_line_ends_stand_below_each_other() -> None:
    assert formatted("let a = 1 # x\nlet bcd = 1 # y\n\nlet c = 1    # z\n") == (
        "let a   = 1  # x\nlet bcd = 1  # y\n\nlet c = 1  # z\n"
    )


def test_a_column_of_comments_is_kept() -> None:
    stays(
        "facts t (\n"
        "  a: string,          # one\n"
        "                      # and more of it\n"
        "  # alone\n"
        "  b: int,\n"
        "  cde: version,       # two\n"
        ") { }\n"
    )


def test_a_comment_before_a_comma_goes_after_it() -> None:
    assert formatted("x = [\n1 # c\n, 2]\n") == "x = [\n  1,  # c\n  2,\n]\n"


LONG = '"' + "x" * 40 + '"'


def test_what_does_not_fit_is_broken_from_the_outside_in() -> None:
    assert formatted(f"x = [{LONG}, {LONG}, {LONG}]\n") == (
        f"x = [\n  {LONG},\n  {LONG},\n  {LONG},\n]\n"
    )
    assert formatted(f"r {{ a = {LONG}, bc = [{LONG}], d = {LONG} }}\n") == (
        f"r {{\n  a  = {LONG}\n  bc = [{LONG}]\n  d  = {LONG}\n}}\n"
    )


def test_a_reason_goes_first_and_conditions_last() -> None:
    assert formatted(f"exclude a == {LONG} and c because {LONG}\n") == (
        f"exclude a == {LONG} and c because {LONG}\n"
    )
    assert formatted(f"exclude a == {LONG} and c == 1 and d == 2 because {LONG}\n") == (
        f"exclude a == {LONG} and c == 1 and d == 2\n  because {LONG}\n"
    )
    assert formatted(f"exclude a == {LONG} and b == {LONG} and c == {LONG} because {LONG}\n") == (
        f"exclude a == {LONG}\n  and b == {LONG}\n  and c == {LONG}\n  because {LONG}\n"
    )


def test_short_elements_fill_lines() -> None:
    rows = formatted(f"x = [{', '.join(str(number) for number in range(100))}]\n").split("\n")
    assert len(rows) == 7
    assert all(90 < len(row) <= WIDTH for row in rows[1:-3])
    assert rows[0] == "x = [" and rows[-2] == "]"


def test_the_widest_line_is_whole() -> None:
    for width in range(WIDTH - 3, WIDTH + 4):
        first, *rest = formatted(f'x = ["{"a" * (width - 11)}", 1]\n').split("\n")
        assert (len(first) == width) == (width <= WIDTH)
        assert (len(rest) == 1) == (width <= WIDTH)


TEXTS = {
    '"""one line"""': ['"""one line"""'],
    '"""\na\n  b\n"""': ['"""', "      a", "        b", '    """'],
    '"""\n\n        a\n\n"""': ['"""', "", "      a", "", '    """'],
    '"""\n  a"""': ['"""', '      a"""'],
    '"""\n\ta\n"""': ['"""', "      \ta", '    """'],
    '"""\n  a\n     \n  b\n"""': ['"""', "      a", "         ", "      b", '    """'],
    '"""begins\n  here"""': ['"""begins', '  here"""'],
    '"""\n{{x}}\n  """': ['"""', "      {{x}}", '    """'],
    '""""\n"""\n""""': ['""""', '      """', '    """"'],
    '"""\n\n"""': ['"""', "", '    """'],
    '""""""': ['""""""'],
}


@for_each("written", TEXTS)
def test_texts_are_moved(written: str) -> None:
    lines = indented(written, 4)
    assert lines == TEXTS[written]
    assert indented("\n".join(lines), 4) == lines


def test_a_text_that_would_mean_something_else_does_not_move() -> None:
    """Blanks at the beginning of its second line belong to an expression."""
    lines = ['"""', '  {{"\\', '  x"}}', '"""']
    assert indented("\n".join(lines), 4) == lines


def test_nix_is_verbatim() -> None:
    stays('x = nix"""\n        [\n a ]\n   """\n')
    assert formatted('r{\nx=nix"""\n  a\n"""\n}') == 'r {\n  x = nix"""\n  a\n"""\n}\n'


def test_faults_are_the_parser_s() -> None:
    sink = Sink()
    assert format_source(Source("a.tvar", "let a = 01\nlet b = [\n"), sink) is None
    assert [item.code for item in sink] == ["E104", "E102"]


@pytest.mark.parametrize("made", ["let a = 2\n# c\n", "let a = 1\n", "let a = \n# c\n"])
def test_what_would_change_a_program_is_a_fault_of_ours(
    made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formatting, "lay_out", lambda text, trees: made)
    with pytest.raises(CompilerBug):
        format_source(Source("a.tvar", "let a =1\n# c\n"), Sink())


def test_trivia() -> None:
    trivia = read_trivia("a  # one\n\n  # two\n, b", 1, 20)
    assert [(one.text, one.alone, one.blank, one.column) for one in trivia.comments] == [
        ("# one", False, False, 3),
        ("# two", True, True, 2),
    ]
    assert trivia.newline and not trivia.blank
    assert read_trivia("a\n\n b", 1, 4).blank


@for_each("name", HOUSE)
def test_the_house_is_formatted(name: str) -> None:
    stays((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_programs_in_documents_are_formatted(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = [block for block in FENCE.finditer(text) if block["language"] == "tvar"]
    found = [block for block in blocks if not _as_it_comes(block["words"] or "")]
    assert found
    for block in found:
        stays(block["text"])


def _as_it_comes(kind: str) -> bool:
    """Whether a block is no program, or shows what is wrong."""
    return "values" in kind or "messy" in kind or "error=E1" in kind


def test_a_condition_after_a_setting() -> None:
    """It stays where it is written, and a block stays a block."""
    text = """\
recipe r {
  flag f = 1 when n == 1
  attrs {
    flags  += ["-a"] when n == 1 because "so"
    doCheck = true when n == 1
    when n == 2 { doCheck = false }
    several = [
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
      "cccccccccccccccccccccccccccccccccccc",
    ] when n == 1
  }
}
"""
    assert formatted(text) == text
    assert formatted(text.replace(" when n == 1", "   when  n==1")) == text
