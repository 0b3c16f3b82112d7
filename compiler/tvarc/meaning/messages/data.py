"""Messages on files of data that tables are read from."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NO_FORMAT: Final = Message(
    "E214",
    "`{path}` is not a file of data",
    label="unknown format",
    help="name a file that ends in `.toml`, `.json` or `.csv`",
)

NO_DATA: Final = Message(
    "E214",
    "`{file}` is not valid {format}",
    label="{said}",
    help="correct the file, or write the rows in the table",
)

NO_ROW: Final = Message(
    "E214",
    "`{name}` is not a row",
    label="not a row",
    help=(
        "give each row its facts: `[{name}]` with `COLUMN = VALUE` below it in TOML, or "
        '`"{name}": {{ "COLUMN": VALUE }}` in JSON'
    ),
)

NO_NAME: Final = Message(
    "E214",
    "`{text}` cannot be the name of a {what}",
    label="not a name",
    help="a name has letters, digits, `-` and `_`, and begins with a letter",
)

TOO_MANY_CELLS: Final = Message(
    "E214",
    "a row has {count} cells, and the first line names {columns} columns",
    label="too many cells",
    help="put a cell that has a comma in quotes",
)
