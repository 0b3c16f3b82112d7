"""Messages on selections of a command line: variants, axes, columns, outputs and facts."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

SEVERAL: Final = Message(
    "E902",
    "`{selector}` selects {count} variants",
    notes=("{listed}",),
    help="name one of them, or add values to the selector, joined by `-`",
)

TOO_MANY_FOR_PAGE: Final = Message(
    "E902",
    "{count} variants are selected, and a page holds at most {most}",
    help="select fewer: `tvarc report SELECTOR… --html FILE`",
)

NO_AXIS: Final = Message(
    "E901",
    "`{name}` is not an axis of a matrix",
    notes=("{known}",),
    help=DID_YOU_MEAN,
)

NO_DROPPED_CELL: Final = Message(
    "E901",
    "`{selector}` selects no dropped cell",
    notes=("it selects variants that are built: {names}",),
    help="`tvarc list` shows every variant",
)

NO_COLUMN: Final = Message(
    "E914",
    "there is no column `{name}`",
    notes=("columns: {columns}", "settings: {settings}"),
    help=(
        DID_YOU_MEAN,
        "name an axis, a fact such as `gpu.label`, or a setting such as `meta.description`",
    ),
)

NO_OUTPUT: Final = Message(
    "E915",
    "there is no output `{name}` of the form `{form}`",
    notes=("{known}",),
    help=(DID_YOU_MEAN, "declare one, or leave out `--output`"),
)

NO_CODE: Final = Message("E904", "there is no code `{code}`", help=DID_YOU_MEAN)

EXCLUDED: Final = Message("E904", "a condition excludes `{path}` from this variant")

REMOVED: Final = Message("E904", "all parts of `{path}` are removed in this variant")

NO_PATH: Final = Message(
    "E904",
    "this variant has no `{path}`",
    notes=("it has {known}", "`{without}` has no parts"),
    help=DID_YOU_MEAN,
)

UNKNOWN_FACT: Final = Message(
    "E907",
    "the standard library has no {what}",
    notes=("it has {known}",),
    help=DID_YOU_MEAN,
)
