"""What commands print on a terminal of 80, 120 and 200 cells, with colours and without.

The program has what makes lines go wrong: long sentences, Chinese and Japanese, which have no
blanks and take two cells a character, emoji, and characters that take no cell.
"""

from __future__ import annotations

import re
import shlex
from itertools import product
from pathlib import Path

import pytest

from support.command import git
from support.effort import sampled
from support.terminal import Seen, on_terminal
from tvarc.text.diagnostics.render_cells import cell_width, fit, wrap
from tvarc.text.diagnostics.render_style import Style

WIDTHS = (80, 120, 200)
WIDEST = 120
"""No sentence is wider."""

JAPANESE = "この説明はとても長いので、端末の幅を超えて折り返される必要があります。" * 2
WORDS = "and so many more words that a terminal of eighty cells is too narrow for all of them"

PROGRAM = """\
facts chips (label: string, watts: int) {
  alpha { label = "アルファ 試験チップ", watts = 100 }
  beta  { label = "beta 🚀🚀 rocket", watts = 250 }
  gamma { label = "nai\u0308ve e\u0301tude", watts = 75 }
}
axis chip = chips[alpha, beta, gamma]
axis mode = ["速い", "slow"]
recipe base {
  pin = none
  package = pkgs.hello
  attrs {
    pname = "プログラム-{{chip}}-{{mode}}"
    description = "@JAPANESE@"
    flags = ["--速い", "--🚀", "--with-a-long-flag=abcdefghijk", "--another-long-flag=nopqrstuv"]
  }
  meta { description = "説明 {{chip.label}}" because "理由はここに書いてあります 🚀" }
}
recipe child extends base {
  meta { description = "別の説明 {{chip.label}} @WORDS@" }
}
matrix m { recipe = child, axes = chip * mode
  name = "hello-{{chip}}-{{if mode == "slow" then "slow" else "fast"}}" }
exclude chip == beta and mode == "slow" because "ベータ は遅い 🚀 @WORDS@ @WORDS@"
output o { file = "{{variant}}.nix" }
"""
PROGRAM = PROGRAM.replace("@JAPANESE@", JAPANESE).replace("@WORDS@", WORDS)

COMMANDS = (
    "list", "list chip=alpha", "list --excluded", "list --columns name,chip.label,meta.description",
    "check", "check --eval", "realise --dry-run", "diff alpha-slow gamma-slow",
    "diff --against HEAD",
    "explain alpha-slow", "explain alpha-slow --facts", "explain alpha-slow meta.description",
    "explain alpha-slow attrs.nope", "who variants.tvar:16", "who variants.tvar:19",
    "who variants.tvar:12", "why-not beta mode=slow", "why-not delta", "audit", "stale",
)  # fmt: skip


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the program, which was edited since its one commit."""
    folder = tmp_path_factory.mktemp("wide")
    program = folder / "variants.tvar"
    program.write_text(PROGRAM, encoding="utf-8")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a"]):
        git(*words, cwd=folder)
    program.write_text(PROGRAM.replace("別の説明", "もっと別の説明"), encoding="utf-8")
    return folder


def seen(folder: Path, command: str, width: int = 80, *, colour: bool = True) -> Seen:
    env = {"NIX_PATH": "", **({} if colour else {"NO_COLOR": "1"})}
    return on_terminal(*shlex.split(command), cwd=folder, width=width, env=env)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("width", "command"), sampled(product(WIDTHS, COMMANDS), 7, ci=6, several=True)
)
def test_no_line_is_broken_by_the_terminal(wide: Path, command: str, width: int) -> None:
    found = seen(wide, command, width)
    assert found.code in (0, 1, 3, 4), found.text
    text = found.plain.rpartition("\r")[2]  # what progress left
    for line in text.split("\n"):
        if not re.match(r"\s+[-+] (exclude|axis) ", line):  # to be copied
            assert cell_width(line) <= width, line


@pytest.mark.slow
@pytest.mark.parametrize("command", sampled(COMMANDS, 7, ci=4))
def test_colours_are_all_that_no_color_takes_away(wide: Path, command: str) -> None:
    plain = seen(wide, command, colour=False).text
    assert not re.search("\x1b\\[[0-9;]*m", plain)
    assert (
        plain.replace("\r\n", "\n").rpartition("\r")[2]
        == (seen(wide, command).plain.rpartition("\r")[2])
    )


def test_colours_can_be_read_on_dark_and_on_light() -> None:
    """Black, yellow, cyan and white vanish on one of them, and plain blue on black."""
    codes = {code for style in Style for code in style.value.split(";") if code}
    assert codes <= {"1", "2", "31", "35", "91", "94", "95"}


@pytest.mark.slow
def test_a_pipe_gets_whole_lines(wide: Path) -> None:
    """Programs read them: nothing is wrapped to the width of a terminal, nor coloured."""
    for command in (
        "list --columns name,meta.description",
        "list --excluded",
        "who variants.tvar:19",
    ):
        found = on_terminal(*shlex.split(command), cwd=wide, width=80, pipe=True)
        assert "\x1b" not in found.piped
        assert any(cell_width(line) > 100 for line in found.piped.splitlines())


@pytest.mark.slow
def test_errors_fit_their_own_terminal(wide: Path) -> None:
    """Also where stdout is no terminal, as in `tvarc list nope | less`."""
    for width in (60, 80):
        found = on_terminal("facts", "nope", cwd=wide, width=width, pipe=True)
        rows = found.plain.splitlines()
        assert width - 20 < max(map(cell_width, rows)) <= width


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_places_are_below_each_other(wide: Path, width: int) -> None:
    rows = seen(wide, "explain alpha-slow --facts", width).plain.splitlines()
    ends = {cell_width(row) for row in rows if re.search(r"  variants\.tvar:\d+$", row)}
    assert ends == {min(width, 100)}


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_a_sentence_is_no_wider_than_can_be_read(wide: Path, width: int) -> None:
    for command in ("list --excluded", "why-not beta mode=slow", "who variants.tvar:19"):
        for line in seen(wide, command, width).plain.splitlines():
            if not re.match(r"\s+[-+] exclude ", line):
                assert cell_width(line) <= min(width, WIDEST), line


def test_a_table_wraps_its_last_column(wide: Path) -> None:
    rows = seen(wide, "list chip=alpha --columns name,meta.description").plain.splitlines()
    start = rows[0].index("もっと")
    assert len(rows) == 4
    assert rows[1][:start].isspace()
    assert rows[1][start] != " "


@pytest.mark.slow
def test_long_titles_are_wrapped_on_a_terminal_only(wide: Path) -> None:
    rows = seen(wide, "check --eval", 60).plain.rpartition("\r")[2].splitlines()
    assert rows[:2] == [
        "error[E944]: variants without a pin use `<nixpkgs>`, and Nix",
        "             does not find it",
    ]


# --- wide characters ------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [10, 15, 20, 21, 40, 100])
@pytest.mark.parametrize(
    "text",
    [
        "この説明はとても長いので、端末の幅を超えて折り返される必要があります。空白がありません。",
        "words and この説明はとても長い and more words",
        "  🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀 indented",
        "か\u3099き\u3099 " + "か\u3099き\u3099く\u3099" * 4,
    ],
)
def test_wide_text_breaks_between_characters(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert all(cell_width(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "")
    assert not any(row.lstrip()[:1] == "\u3099" for row in rows)  # it stays with its letter
    assert fit(text, 1_000) == text


def test_an_address_stays_whole() -> None:
    """Also beside wide characters: it is there to be copied."""
    address = "https://example.org/" + "x" * 40
    assert address in wrap(f"速い {address} 速い", 20)
    assert wrap(f"速い速い速い速い{address}", 20)[-1] == address
