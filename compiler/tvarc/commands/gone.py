"""Words of command lines that earlier versions accepted, and what to write instead."""

from __future__ import annotations

from tvarc.light import Final, Sequence

GONE: Final[dict[tuple[str, ...], str]] = {
    ("man",): "`tvarc man` was removed: run `tvarc COMMAND --help`",
    ("adopt",): "`tvarc adopt` was removed: `tvarc build --adopt` replaces hand-written recipes, "
    "keeps a copy of each as NAME.nix.orig, and prints the command that deletes the copies",
    ("list", "--markdown"): "`list --markdown` was removed: run `tvarc list --format markdown`",
    ("list", "--format", "json"): "`list --format json` was removed: run `tvarc list --json`",
    ("list", "--format", "table"): "`list --format table` was removed: run `tvarc list`, and name "
    "`--columns` to get lines instead of a grid on a terminal",
    ("explain", "--html"): "`explain --html` was removed: `tvarc report SELECTOR --html FILE` "
    "shows the recipe of a variant next to its sources",
}
"""The command, and the option and its value if only these were removed, with a sentence that says
what replaces them."""


def replacement(words: Sequence[str]) -> str | None:
    """The sentence for the first of `GONE` that the line *words* contains; None for no such line.
    Ask only for a line that was refused: the value of an option may be spelt like another option.
    """
    if not words:
        return None
    given = [words[0], *[part for word in words[1:] for part in word.split("=", 1)]]
    return next(
        (
            sentence
            for gone, sentence in GONE.items()
            if gone[0] == given[0] and {*gone[1:]} <= {*given[1:]}
        ),
        None,
    )
