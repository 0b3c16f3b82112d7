"""The document algebra: what fits stays on a line, and nothing depends on the depth."""

from __future__ import annotations

import pytest

from tvarc.nix.language.document import (
    HARDLINE,
    LINE,
    SOFTLINE,
    WIDTH,
    Doc,
    Verbatim,
    Wrapped,
    broken,
    choice,
    concat,
    flat_text,
    group,
    nest,
    render,
)


def bracket(*inner: Doc) -> Doc:
    return group("[", nest(SOFTLINE, *inner), SOFTLINE, "]")


def test_text_is_joined() -> None:
    assert concat("a", "b", "") == "ab"
    assert flat_text(group("a", LINE, "b")) == "a b"
    assert flat_text(concat("a", HARDLINE)) is None


def test_a_group_fills_the_width_exactly() -> None:
    word = "x" * (WIDTH - 2)
    assert render(bracket(word)) == f"[{word}]"
    assert render(bracket(word + "x")) == f"[\n  {word}x\n]"


def test_what_follows_a_group_counts() -> None:
    word = "x" * (WIDTH - 2)
    assert render(concat(bracket(word), ";", HARDLINE, "y")) == f"[\n  {word}\n];\ny"
    assert render(concat(bracket(word), HARDLINE, ";")) == f"[{word}]\n;"


def test_a_broken_group_keeps_inner_groups_flat() -> None:
    word = "x" * 60
    inner = bracket(word)
    assert render(bracket(inner, LINE, inner)) == f"[\n  [{word}]\n  [{word}]\n]"


def test_a_line_end_breaks_all_groups_around_it() -> None:
    assert render(bracket(bracket("a", HARDLINE, "b"))) == "[\n  [\n    a\n    b\n  ]\n]"


def test_blank_lines_have_no_blanks() -> None:
    assert render(nest("a", HARDLINE, HARDLINE, "b")) == "a\n\n  b"


def test_a_line_keeps_the_indentation_of_its_break() -> None:
    assert render(concat(nest("a", HARDLINE), "b", HARDLINE, "c")) == "a\n  b\nc"


def test_a_choice_takes_the_first_that_fits() -> None:
    hugged = broken(bracket("y" * 50))

    def chosen(opening: str) -> str:
        return render(choice(concat(opening, hugged), concat("!", opening)))

    assert chosen("f") == "f[" + "y" * 50 + "]"
    assert chosen("f" * 80) == "f" * 80 + "[\n  " + "y" * 50 + "\n]"
    assert chosen("f" * 100) == "!" + "f" * 100


def test_a_choice_that_follows_a_group_counts() -> None:
    word = "x" * (WIDTH - 4)
    following = choice(concat("fff", broken(bracket("y"))), "z")
    assert render(concat(bracket(word), following)) == f"[\n  {word}\n]fff[y]"


def test_verbatim_text_is_not_indented() -> None:
    assert render(nest(HARDLINE, "a = ", Verbatim("b\nc"), ";")) == "\n  a = b\nc;"


def test_paragraphs_wrap() -> None:
    words = " ".join(["word"] * 40)
    text = render(nest(HARDLINE, Wrapped("# ", words), HARDLINE, "x"))
    lines = text.split("\n")[1:-1]
    assert all(line.startswith("  # word") and len(line) <= WIDTH for line in lines)
    assert " ".join(line.removeprefix("  # ") for line in lines) == words
    assert render(Wrapped("# ", "  a   b ")) == "#   a   b"
    assert render(Wrapped("# ", "")) == "#"
    assert render(Wrapped("# ", "x" * 200)) == "# " + "x" * 200


@pytest.mark.slow
def test_depth_is_no_limit() -> None:
    doc: Doc = "x"
    for _ in range(20_000):
        doc = nest(concat(doc, HARDLINE))
    assert render(doc).startswith("x\n")
