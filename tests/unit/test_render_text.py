"""How diagnostics look at a terminal."""

from __future__ import annotations

import unicodedata
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.effort import examples
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.diagnostics.render_cells import cell_width, lay_out, wrap
from tvarc.text.diagnostics.render_text import render_text
from tvarc.text.source import Source, SourceMap, Span


def sources(**texts: str) -> SourceMap:
    found = SourceMap()
    for name, text in texts.items():
        found.add(Source(f"{name}.tvar", text))
    return found


def mark(
    files: SourceMap, wanted: str, text: str = "", *, primary: bool = True, name: str = "a"
) -> Label:
    source = files.get(f"{name}.tvar")
    assert source is not None
    start = source.text.index(wanted)
    return Label(Span(source.file, start, start + len(wanted)), text, primary)


def shown(
    files: SourceMap, *labels: Label, width: int = 80, notes: tuple[str, ...] = (), help: str = ""
) -> str:
    item = Diagnostic("E501", "conflicting values", labels, notes, help)
    return render_text([item], files, colour=False, width=width)


def expect(text: str) -> str:
    return dedent(text).removeprefix("\n")


def test_one_label_marks_its_text_in_its_line() -> None:
    files = sources(a="let a = 1\nlet b = 2\n")
    assert shown(files, mark(files, "b", "set here")) == expect("""
        error[E501]: conflicting values
         --> a.tvar:2:5
          |
        2 | let b = 2
          |     ^ set here
        """)


def test_labels_of_one_file_merge_in_order_and_of_another_stand_apart() -> None:
    files = sources(a="one\ntwo\nthree\nfour\nfive\nsix\n", b="\n" * 11 + "other\n")
    text = shown(
        files,
        mark(files, "six", "here"),
        mark(files, "one", "and here", primary=False),
        mark(files, "three", primary=False),
        mark(files, "other", "there", primary=False, name="b"),
        notes=("they differ",),
        help="write `force`",
    )
    assert text == expect("""
        error[E501]: conflicting values
          --> a.tvar:6:1
           |
         1 | one
           | --- and here
         2 | two
         3 | three
           | -----
        ...
         6 | six
           | ^^^ here
           |
          --> b.tvar:12:1
           |
        12 | other
           | ----- there
           |
           = note: they differ
           = help: write `force`
        """)


def test_labels_on_one_line_hang_below() -> None:
    files = sources(a="let abc = f(x) + gg\n")
    text = shown(
        files,
        mark(files, "gg", "version"),
        mark(files, "abc", "declared", primary=False),
        mark(files, "x", "string", primary=False),
    )
    assert text == expect("""
        error[E501]: conflicting values
         --> a.tvar:1:18
          |
        1 | let abc = f(x) + gg
          |     ---     -    ^^ version
          |     |       |
          |     |       string
          |     declared
        """)


def test_labels_at_one_place_are_all_told() -> None:
    files = sources(a="let abc = 1\n")
    text = shown(files, mark(files, "abc", "first"), mark(files, "abc", "second", primary=False))
    assert "first" in text
    assert "second" in text
    assert "^^^" in text


def test_label_over_lines_shows_its_first_and_last() -> None:
    files = sources(a="recipe r {\n  a = 1\n  b = 2\n  c = 3\n}\n")
    assert shown(files, mark(files, files_text(files).rstrip("\n"), "unused")) == expect("""
        error[E501]: conflicting values
         --> a.tvar:1:1
          |
        1 | / recipe r {
        ... |
        5 | | }
          | |_^ unused
        """)


def test_a_label_over_several_lines_begins_in_the_middle_of_one() -> None:
    files = sources(a="let x = [\n  1,\n]\n")
    assert shown(files, mark(files, "[\n  1,\n]", "list")) == expect("""
        error[E501]: conflicting values
         --> a.tvar:1:9
          |
        1 |   let x = [
          |  _________^
        2 | |   1,
        3 | | ]
          | |_^ list
        """)


def test_nested_labels_over_lines_have_lanes() -> None:
    files = sources(a="a {\n  b {\n    c\n  }\n}\n")
    text = shown(
        files,
        mark(files, "b {\n    c\n  }", "inner", primary=False),
        mark(files, "a {\n  b {\n    c\n  }\n}", "outer"),
    )
    assert text == expect("""
        error[E501]: conflicting values
         --> a.tvar:2:3
          |
        1 | /   a {
        2 | | /   b {
        3 | | |     c
        4 | | |   }
          | | |___- inner
        5 | |   }
          | |___^ outer
        """)


def files_text(files: SourceMap) -> str:
    source = files.get("a.tvar")
    assert source is not None
    return source.text


def test_line_end_in_a_span_belongs_to_the_line_it_ends() -> None:
    files = sources(a="one\r\ntwo\r\n")
    assert shown(files, mark(files, "one\r\n", "x")).endswith("1 | one\n  | ^^^ x\n")


def test_empty_span_at_the_end_of_the_file() -> None:
    files = sources(a="let a = {\n")
    end = Label(Span("a.tvar", 10, 10), "expected `}`", primary=True)
    assert shown(files, end).endswith("2 |\n  | ^ expected `}`\n")
    unterminated = sources(a="let")
    end = Label(Span("a.tvar", 3, 3), "expected a name", primary=True)
    assert shown(unterminated, end).endswith("1 | let\n  |    ^ expected a name\n")


def test_span_past_the_end_of_the_file_is_its_end() -> None:
    files = sources(a="let")
    past = Label(Span("a.tvar", 90, 99), "x", primary=True)
    assert shown(files, past).endswith("1 | let\n  |    ^ x\n")


def test_tabs_go_to_the_next_stop() -> None:
    files = sources(a="a\tb\n")
    assert shown(files, mark(files, "b", "x")).endswith("1 | a   b\n  |     ^ x\n")


def test_wide_and_combining_characters_keep_the_underline_in_place() -> None:
    files = sources(a='漢字 = "e\u0301" x\n')
    assert shown(files, mark(files, "x", "here")).endswith(
        '1 | 漢字 = "e\u0301" x\n  |            ^ here\n'
    )
    assert shown(files, mark(files, "字", "here")).endswith("\n  |   ^^ here\n")
    assert shown(files, mark(files, "\u0301", "here")).endswith("\n  |         ^ here\n")


def test_control_and_direction_characters_are_shown_not_sent() -> None:
    files = SourceMap()
    files.add(Source("a\x1b]0;x\x07.tvar", "a \x1b[31m \u202e x\n"))
    label = Label(Span("a\x1b]0;x\x07.tvar", 8, 9), "bad\x1b[0m", primary=True)
    item = Diagnostic("E101", "no \x1b[1m", (label,), ("a\rb",), "c\x7f")
    text = render_text([item], files, colour=False, width=80)
    assert text == expect("""
        error[E101]: no ␛[1m
         --> a␛]0;x␇.tvar:1:9
          |
        1 | a ␛[31m <U+202E> x
          |         ^^^^^^^^ bad␛[0m
          |
          = note: a␍b
          = help: c␡
        """)


def test_long_line_is_cut_around_its_mark() -> None:
    files = sources(a="x" * 500 + " here " + "y" * 500 + "\n")
    text = shown(files, mark(files, "here", "this"), width=60)
    line, underline = text.splitlines()[3:5]
    assert cell_width(line) <= 60
    assert line.startswith("1 | …x")
    assert line.endswith("y…")
    assert line.index("here") == underline.index("^^^^ this")


def test_long_line_cut_at_one_side_only() -> None:
    files = sources(a="start" + "x" * 500 + "end\n")
    text = shown(files, mark(files, "start", "this"), width=60)
    assert "1 | startxxx" in text
    assert "x…\n  | ^^^^^ this\n" in text
    text = shown(files, mark(files, "end", "this"), width=60)
    line, underline = text.splitlines()[3:5]
    assert line.startswith("1 | …x")
    assert line.index("end") == underline.index("^^^")


def test_marks_far_apart_show_their_line_twice() -> None:
    files = sources(a="left" + "x" * 500 + "right\n")
    labels = (mark(files, "left", "a"), mark(files, "right", "b", primary=False))
    text = shown(files, *labels, width=60)
    assert text.count("1 | ") == 2
    assert "^^^^ a" in text
    assert "-----\n" in text and text.endswith(" b\n")


def test_mark_wider_than_the_terminal() -> None:
    files = sources(a="x" * 5000 + "\n")
    text = shown(files, mark(files, "x" * 5000, "all"), width=60)
    line = text.splitlines()[3]
    assert cell_width(line) <= 60
    assert line.endswith("…")


def test_long_label_wraps_under_itself() -> None:
    files = sources(a="let a = 1\n")
    text = shown(files, mark(files, "a", "word " * 20), width=50)
    rows = text.splitlines()[4:]
    assert len(rows) > 1
    assert all(cell_width(row) <= 50 for row in rows)
    assert rows[1].index("word") == rows[0].index("word")


def test_a_label_without_room_at_its_right_goes_below() -> None:
    files = sources(a="let a = 1".rjust(75) + "\n")
    assert shown(files, mark(files, "let a = 1", "this is the first of two")) == expect(f"""
        error[E501]: conflicting values
         --> a.tvar:1:67
          |
        1 | {"let a = 1".rjust(75)}
          | {"^^^^^^^^^".rjust(75)}
          | {"this is the first of two".rjust(76)}
        """)


@given(st.integers(40, 120), st.integers(0, 110), st.integers(1, 60), st.text("ab ", max_size=40))
@settings(max_examples=examples(100), deadline=None)
def test_no_label_leaves_the_width(width: int, start: int, size: int, text: str) -> None:
    files = sources(a=" " * start + "x" * size + " y\n")
    label = Label(Span("a.tvar", start, start + size), text)
    rows = shown(files, label, width=width).splitlines()
    assert max(cell_width(row) for row in rows[1:]) <= width


def test_notes_wrap_and_keep_their_lines() -> None:
    text = shown(SourceMap(), notes=("aaa " * 15 + "\n  - b\n\n  - c",), width=40)
    assert text == expect("""
        error[E501]: conflicting values
          = note: aaa aaa aaa aaa aaa aaa aaa
                  aaa aaa aaa aaa aaa aaa aaa
                  aaa
                    - b

                    - c
        """)


def test_unknown_source_still_names_the_file() -> None:
    label = Label(Span("gone.tvar", 1, 2), "read here", primary=True)
    assert shown(SourceMap(), label) == expect("""
        error[E501]: conflicting values
         --> gone.tvar
          | read here
        """)


def test_warning_and_several() -> None:
    items = [
        Diagnostic("E106", "cannot read `a`"),
        Diagnostic("W001", "odd", severity=Severity.WARNING),
    ]
    assert render_text(items, SourceMap(), colour=False, width=80) == (
        "error[E106]: cannot read `a`\n\nwarning[W001]: odd\n"
    )
    assert render_text([], SourceMap(), colour=False, width=80) == ""


def test_colour_adds_styles_only() -> None:
    files = sources(a="let b = 2\n")
    items = [
        Diagnostic("E501", "t", (mark(files, "b", "x"), mark(files, "2", "y", primary=False))),
        Diagnostic("W001", "w", (mark(files, "b", "x"),), severity=Severity.WARNING),
    ]
    text = render_text(items, files, colour=True, width=80)
    assert "\x1b[1;31merror[E501]\x1b[0m" in text
    assert "\x1b[1;35mwarning[W001]\x1b[0m" in text
    assert "\x1b[1;94m1 |\x1b[0m" in text
    plain = text
    for code in ("0", "1", "1;31", "1;35", "1;94", "94"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == render_text(items, files, colour=False, width=80)


TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\n\n\r\t\x00\x1b\x9b\u0301\u202e\u2028\ufeff\ud800漢ab  {}"),
    ),
    max_size=200,
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Diagnostic, SourceMap, int]:
    files = SourceMap()
    names = draw(st.lists(TEXTS, min_size=1, max_size=2, unique=True))
    for name in names:
        files.add(Source(name, draw(TEXTS) * draw(st.sampled_from([1, 1, 9]))))
    place = st.builds(
        Span, st.sampled_from([*names, "gone"]), st.integers(-2, 900), st.integers(-2, 900)
    )
    labels = draw(st.lists(st.builds(Label, place, TEXTS, st.booleans()), max_size=5))
    notes = draw(st.lists(TEXTS, max_size=2))
    item = Diagnostic(draw(TEXTS), draw(TEXTS), tuple(labels), tuple(notes), draw(TEXTS))
    return item, files, draw(st.integers(-1, 200))


@pytest.mark.slow
@settings(max_examples=examples(300))
@given(cases())
def test_any_input_renders_without_control_characters(
    case: tuple[Diagnostic, SourceMap, int],
) -> None:
    item, files, width = case
    text = render_text([item], files, colour=False, width=width)
    assert text.endswith("\n")
    kinds = {unicodedata.category(char) for char in text if char != "\n"}
    assert kinds.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    assert all(not line.endswith(" ") for line in text.split("\n"))
    coloured = render_text([item], files, colour=True, width=width)
    for code in ("0", "1", "1;31", "1;35", "1;94", "94"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == text


@pytest.mark.slow
@given(TEXTS)
def test_layout_is_as_wide_as_what_it_shows(text: str) -> None:
    cells = lay_out(text)
    assert len(cells.glyphs) == len(cells.starts) == len(cells.ends) == len(text)
    assert cells.width == cell_width("".join(cells.glyphs))


@pytest.mark.slow
@given(TEXTS, st.integers(10, 80))
def test_wrapped_lines_fit_or_are_one_word(text: str, width: int) -> None:
    for row in wrap(text, width):
        assert cell_width(row) <= width or " " not in row.strip(" ")
