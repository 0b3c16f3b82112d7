"""A comment may stand in any gap between two words; formatting keeps each one, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from support.compile import ROOT
from support.corpus import FILES, programs
from support.effort import examples, for_each
from support.formatted import comments, formatted, holds, items
from tvarc.syntax.cst import Cst, Leaf
from tvarc.syntax.format.format import format_source
from tvarc.syntax.parser import parse_trees
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

# One of everything that the grammar has, in as few words as that takes.
EVERYTHING = '''\
use std.nvidia
use "./a.tvar" as b
exclude std.impossible
let torch = if a then 2.10.0 else version("2.11.0rc1")
input x {
  path = "y"
}
flag fast: bool? = not true because "it is"
axis gpu = nvidia[sm80..sm90, where gpu.capability > 9.0]
axis isa { avx { flags = "-a" }, avx2 { flags = "-b" } }
axis late: interpreter
facts board (arch: string, cores: [int]?, kind: one_of("a", "b")) { pi { cores = [4] } }
facts board += (log: string?) { rpi { arch = "arm" } }
pin nixpkgs { github = "a/b", config { allowUnfree = true } }
overlay own in b because "x" { c = final.c }
patch fix for hello { url = "https://example.org/x" }
recipe r extends b.base {
  package = pkgs["x"].y
  default attrs.a.b += ["-D{{gpu}}", ...[1]] because """
    why
  """
  force env."odd key" = { a = 1, b = { c = 2 } }
  meta.x -= [none, null]
  script phase { part a after b """
      echo {{isa}}
    """ }
  script other += "text"
  when gpu in [sm80] and isa is not none or a >= 1 { warn w = off }
  else when a { x = 1 } else { x = 2 }
  passthru { y = nix"""[ ]""" }
}
matrix m { recipe = r, axes = gpu * isa, name = "{{gpu}}" }
matrix k extends other.m { name = "k" }
variant v { recipe = r, needs a = b }
require (a == b) because "so"
output nix { file = "x" }
'''

_APART = 5
INSERTED = [
    " # c\n",
    "\n# c é✓\n",
    "\n\n\t# c \t\n\n",
    " #\r\n#= x, y\r\n",
    "\n",
    "\r\n\r\n",
    "\t  ",
]


def leaves(text: str) -> list[Leaf]:
    found: list[Leaf] = []
    waiting: list[Cst | Leaf] = list(reversed(parse_trees(Source("a", text))))
    while waiting:
        top = waiting.pop()
        if isinstance(top, Cst):
            waiting.extend(reversed(top.children))
        else:
            found.append(top)
    return found


def gaps(text: str) -> list[int]:
    """Where words begin and end: what stands between is gaps."""
    ends = [at for leaf in leaves(text) for at in (leaf.start_pos, leaf.end_pos)]
    return sorted({0, len(text), *ends})


def same_program(before: str, after: str) -> bool:
    found = items(after)
    return found is not None and found == _known(before)


@cache
def _known(text: str) -> object:
    return items(text)


def test_everything_is_a_program() -> None:
    assert items(EVERYTHING) is not None
    holds(EVERYTHING)


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [pytest.param(i, marks=[pytest.mark.slow] if i else []) for i in range(len(INSERTED))],
)
def test_each_gap_of_everything(number: int) -> None:
    """Each gap has one kind or two of what is inserted. A gap and a kind are one program: the item
    that has the gap, and those beside it."""
    inserted, kept = INSERTED[number], 0
    for program, at in islice(gaps_beside(), number % _APART, None, _APART):
        text = program[:at] + inserted + program[at:]
        if same_program(program, text):
            holds(text)
            kept += 1
            assert len(comments(text)) == inserted.count("#")
    assert kept > 30, "the grammar allows a comment in many places"


def gaps_beside() -> Iterator[tuple[str, int]]:
    """Each gap of EVERYTHING once, in a program of the item that ends with it or begins after it,
    and of the items beside that one."""
    begins = [tree.start_pos for tree in parse_trees(Source("a", EVERYTHING))]
    ends = [*begins[1:], len(EVERYTHING)]
    for number, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        first = begins[max(number - 1, 0)]
        last = ends[min(number + 1, len(ends) - 1)]
        program = EVERYTHING[first:last]
        for at in gaps(EVERYTHING):
            if begin <= at < end or at == end == len(EVERYTHING):
                yield program, at - first


@pytest.mark.slow
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_comments_everywhere_at_once(data: st.DataObject) -> None:
    """Comments in many gaps of one program, each with a number: all of them, in order."""
    text = EVERYTHING
    chosen = data.draw(st.lists(st.sampled_from(gaps(EVERYTHING)), max_size=25, unique=True))
    for number, at in enumerate(sorted(chosen, reverse=True)):
        inserted = data.draw(st.sampled_from(INSERTED)).replace("c", f"c{number}")
        more = text[:at] + inserted + text[at:]
        if same_program(EVERYTHING, more):
            text = more
    holds(text)
    assert items(formatted(text)) == items(EVERYTHING)


@pytest.mark.slow
@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_comments_in_the_files_of_the_checkout(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from([one for one in FILES if "snapshots" not in str(one)]))
    text = before = path.read_text(encoding="utf-8")
    assume(len(text) < 30_000)
    for at in sorted(data.draw(st.lists(st.sampled_from(gaps(text)), max_size=6)), reverse=True):
        more = text[:at] + data.draw(st.sampled_from(INSERTED)) + text[at:]
        text = more if same_program(before, more) else text
    holds(text)


# --- odd characters ------------------------------------------------------------------------------


def whatever(text: str) -> None:
    """The text is formatted as ever, or it is refused: nothing else happens."""
    sink = Sink()
    made = format_source(Source("a.tvar", text), sink)
    if made is None:
        assert sink.has_errors
        return
    assert items(made) == items(text)
    assert comments(made) == comments(text)
    assert formatted(made) == made


ODD = "\f\v\x00\x1c\x85\u00a0\u2028\u200b\ufeff\u202e\U0010ffff\ud7ff\t\r"


@pytest.mark.slow
@pytest.mark.parametrize("odd", ODD, ids=lambda char: f"U+{ord(char):04X}")
def test_odd_characters_anywhere(odd: str) -> None:
    program = 'let a = [1,\n  "x", f(2)]  # why\n# é\nr { b = """\n  t\n""" }\n'
    for at in range(len(program) + 1):
        whatever(program[:at] + odd + program[at:])


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(st.text(st.sampled_from(ODD + '#"=[]{},a1 \n\nlet'), max_size=40))
def test_any_text_is_formatted_or_refused(text: str) -> None:
    whatever(text)


@pytest.mark.slow
def test_huge_lines_and_many_comments() -> None:
    holds("let a = " + '"' + "x" * 200_000 + '"  # ' + "y" * 200_000 + "\n")
    holds("let a = [" + ", ".join(["1"] * 5_000) + "]  # many\n")
    holds("# c\n" * 5_000 + "let a = 1\n")
    holds("let a = [\n" + "1, # c\n" * 2_000 + "]\n")


@for_each("text", programs(), every=12)
def test_every_file_of_the_checkout(text: str) -> None:
    if items(text) is None:
        whatever(text)
    else:
        holds(text)


@pytest.mark.slow
def test_the_parts_of_the_library_are_done_as_written() -> None:
    """What `tvarc fmt --check` says of this checkout itself."""
    for path in (ROOT / "variants.tvar", *sorted((ROOT / "stdlib").glob("*.tvar"))):
        text = path.read_text(encoding="utf-8")
        assert formatted(text) == text, path
