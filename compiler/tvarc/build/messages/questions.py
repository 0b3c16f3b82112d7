"""Messages on questions about a program: the differences between two states, and the effects of a
line."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

NO_STATE: Final = Message(
    "E911",
    "cannot compare with `{against}`",
    notes=("it is not a file or a folder, and {fault}",),
    help=(
        "{advice}",
        "name a commit, such as HEAD~1, or a folder or file with another state of the program",
    ),
)

TOO_MANY_DIFFERENCES: Final = Message(
    "E308",
    "the two states have too many differences to compare them",
    label="over {most} evaluations in total for all cells",
    help="compare fewer variants, by selectors",
)

TOO_MANY_TEXTS: Final = replace(
    TOO_MANY_DIFFERENCES, title="the two states have too many variants to compare their texts"
)

TOO_MANY_SETTINGS: Final = Message(
    "E308",
    "the variants of the two states have too many settings to compare them",
    label="{count} settings in all variants, of which at most {most} are compared",
    help="compare fewer variants, by selectors",
)

TOO_MANY_MAPS: Final = Message(
    "E308",
    "`{name}` has too many cells to map them one by one",
    label="over {most} evaluations in total for all cells",
    help="select fewer variants with `--only`",
)

TOO_MANY_TO_DUMP: Final = replace(
    TOO_MANY_MAPS, title="`{name}` has too many variants to print each of them"
)

TOO_MANY_TO_EVALUATE: Final = Message(
    "E308",
    "`{name}` has too many variants for Nix to evaluate them together",
    label="over {most} evaluations in total for all cells",
    help="select fewer variants",
)

TOO_MANY_FOR_A_MAP: Final = Message(
    "E308",
    "`{name}` has too many variants for a source map",
    label="over {most} evaluations in total for all cells",
    help="leave out `--source-map`: `tvarc explain FILE.nix:LINE` answers without it",
)

TOO_MANY_FOR_DOCUMENTS: Final = Message(
    "E308",
    "`{name}` has too many variants with needs for a page",
    label="over {most} evaluations in total for all cells",
    help="remove the `output` of the page, or move some matrices to a program of their own",
)

TOO_MUCH_TO_SHOW: Final = Message(
    "E308",
    "the variants of `{name}` have too many settings for one page",
    label="over {most} evaluations in total for all cells",
    help="select fewer variants: `tvarc report SELECTOR… --html FILE`",
)
