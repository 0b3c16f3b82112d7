"""Messages on patches and fetched changes."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

RELATIVE_PATCH: Final = Message(
    "E508",
    "this nixpkgs does not support `relative` in a patch",
    label="`fetchpatch` supports it since {first}",
    notes=("the pin of patch `{overlay}` states an earlier release",),
    help='store the patch next to the program, and write `file = path("./a.patch")`',
)

NOT_FETCHED_SO: Final = Message(
    "E508",
    "a change of `{name}` cannot be fetched in this way",
    label="fetching this needs `{name}` itself",
    notes=("the fetchers of nixpkgs depend on this package",),
    help='store the file next to the program, and write `path("./…")`',
)

BAD_PATCH_FILE: Final = Message(
    "E301",
    "`file` of a patch must be a path",
    label="this is {kind}",
    help='write `file = path("./a.patch")`',
)

TEXT_AS_PATCH: Final = Message(
    "E301",
    "a patch must be a file, not a string",
    label="this is a string",
    notes=("the builder would look for a file of this name in the unpacked source",),
    help='write `path("{path}")`; for a file in that source, write its name without `./`',
)

TEXT_AS_PATCH_OF_SOURCE: Final = replace(
    TEXT_AS_PATCH,
    label="this is a string; the file `{one}` is in this folder",
    help='write `path("{path}")`',
)

TEXT_AS_SOURCE: Final = Message(
    "E301",
    "`{key}` must be a path, not a string",
    label="this is a string",
    notes=("the builder would look for a file of this name in the folder of the build",),
    help='write `path("{path}")`',
)
