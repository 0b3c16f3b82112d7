"""Messages on files that an expression names."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

FILE_WITHOUT_INPUT: Final = Message(
    "E301",
    "`file` needs an input",
    label="this is {kind}",
    notes=("{form}",),
    help='declare `input NAME {{ … }}`; for a file in this folder, write `path("./f.nix")`',
)

FILE_OF_NIX: Final = Message(
    "E302",
    "the name of a file of an input must be known to the compiler",
    label="only Nix knows this value",
    help="compute the name from axes, facts and flags",
)

OUTSIDE_THE_INPUT: Final = Message(
    "E703",
    "this is not a path inside the input",
    label="{file} leads outside",
    help='write a path without `.`, `..` and empty steps, such as `"pkgs/{{{{gpu}}}}.nix"`',
)

EMPTY_FILE: Final = replace(OUTSIDE_THE_INPUT, label="this is empty")

NO_DEFAULT_NIX: Final = Message(
    "E106",
    "the folder `{name}` has no `default.nix`",
    label="{reason}",
    notes=("when Nix imports a folder, it reads this file",),
    help="name a `.nix` file in the folder, or add a `default.nix`",
)

NO_NIX_FILE: Final = Message(
    "E301",
    "`{name}` is not a Nix file",
    label="Nix would import this",
    notes=("the name of a Nix file ends in `.nix`",),
    help="name a `.nix` file; a source to build from goes into an attribute, `src = …`",
)

NOT_IN_INPUT: Final = Message(
    "E106",
    "input `{name}` has no file `{file}`",
    label="{reason}",
    notes=("the folder is `{folder}`",),
    help="correct the name, or add the file there",
)
