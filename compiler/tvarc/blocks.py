"""The blocks of settings, in one table: `config { … }`, `attrs { … }`, `script NAME { … }`,
`test NAME { … }`.

A row says where a block may be written, when Nix reads it, the kind of its settings, the values
that they add to, and how they are emitted. All other modules read the table, so a new block is a
new row. The section "Add a setting block" of CONTRIBUTING.md names the files to change.
"""

from __future__ import annotations

from tvarc.light import Final, Literal, dataclass

Place = Literal["pin", "recipe", "overlay"]
"""The places where a block may be written. `overlay` is an overlay `for` a package."""

Stage = Literal["import", "call", "build", "describe"]
"""The time when Nix reads a block: while it imports nixpkgs, when it calls the function of the
package, when it makes the derivation, or only when the package is queried. A block of the last
stage does not change the build."""

Holds = Literal[
    "values", "known values", "attributes", "variables", "shell", "notes", "tests"
]
"""The kinds of settings of a block: any values, values that the compiler itself knows, attributes
of the derivation, variables with one text each, texts of shell that are written in parts, notes
about the package, which no builder gets, or tests, which are records with fixed fields."""

GroundKind = Literal["own", "empty", "nothing"]
"""The value to which a setting adds if no `=` sets it: the package's own value, an empty list or
record, or nothing, so that it cannot add at all."""

Form = Literal["import", "override", "attributes", "set", "tests"]
"""The form in which a block is emitted: as an argument of the import of nixpkgs, in `override`, as
attributes in `overrideAttrs`, as one set in it, `NAME = (old.NAME or { }) // { … }`, or in
`passthru.tests` of the finished package."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of settings. `since` is the feature of nixpkgs (`FEATURES` of `nix/nixpkgs.py`)
    without which the settings of a set are plain attributes; empty for the blocks that every
    nixpkgs has.
    """

    name: str
    written_in: tuple[Place, ...]
    stage: Stage
    holds: Holds
    ground: GroundKind
    form: Form
    since: str = ""

    @property
    def in_parts(self) -> bool:
        """Whether each setting is a text in parts, and the package's own text is one of them."""
        return self.holds == "shell"

    @property
    def of_package(self) -> bool:
        """Whether the block changes one package, not the nixpkgs that has it."""
        return self.stage != "import"


CONFIG: Final = "config"
"""The block that configures nixpkgs."""

SCRIPT: Final = "script"
"""The block of the texts that a build runs."""

TEST: Final = "test"
"""The block of the tests of a variant. Each of its settings is one test."""

TEST_FIELDS: Final[
    dict[str, Literal["text", "list", "packages", "record", "size", "seconds"]]
] = {
    "script": "text",
    "tools": "packages",
    "features": "list",
    "on": "text",
    "expect": "record",
    "without": "packages",
    "max-closure-size": "size",
    "timeout": "seconds",
}
"""The fields of a test, each with the kind of its value."""

ON_HOST: Final = "host"
"""The value of `on` for a test that runs on a machine, outside of the sandbox of Nix."""

PLACES_OF_TESTS: Final = ("sandbox", ON_HOST)
"""The values of `on`."""

ATTRIBUTES: Final = "attrs"
"""The block whose name an overlay leaves out."""

TABLE: Final = (
    Block(CONFIG, ("pin", "recipe"), "import", "values", "empty", "import"),
    Block("localSystem", ("pin",), "import", "known values", "empty", "import"),
    Block("crossSystem", ("pin",), "import", "known values", "empty", "import"),
    Block("args", ("recipe", "overlay"), "call", "values", "nothing", "override"),
    Block(ATTRIBUTES, ("recipe", "overlay"), "build", "attributes", "own", "attributes"),
    Block("env", ("recipe", "overlay"), "build", "variables", "own", "set", since="env"),
    Block(SCRIPT, ("recipe", "overlay"), "build", "shell", "own", "attributes"),
    Block("passthru", ("recipe", "overlay"), "describe", "values", "own", "set"),
    Block("meta", ("recipe", "overlay"), "describe", "notes", "own", "set"),
    Block(TEST, ("recipe",), "describe", "tests", "empty", "tests"),
)
"""All blocks, in the order in which a recipe has them."""

BY_NAME: Final = {block.name: block for block in TABLE}

OF_PACKAGE: Final = tuple([block for block in TABLE if block.of_package])
"""The blocks that change a package, in the order in which `explain` and `diff` show them."""

PLACES: Final = {block.name: place for place, block in enumerate(OF_PACKAGE)}
"""The place of each block in `OF_PACKAGE`."""

BUILT: Final = frozenset(
    [one.name for one in TABLE if one.stage in ("call", "build") and not one.in_parts]
)
"""The names of the blocks, but for scripts, that change what is built of a package."""

OF_RECIPE: Final = tuple(
    [block.name for block in TABLE if "recipe" in block.written_in and not block.in_parts]
)
"""The names of the blocks of a recipe with `NAME = VALUE`."""

IN_PARTS: Final = tuple([block.name for block in TABLE if block.in_parts])
"""The names of the blocks whose settings are texts in parts."""

OF_PIN: Final = tuple([block.name for block in TABLE if "pin" in block.written_in])
"""The names of the blocks of a pin."""

OF_SYSTEMS: Final = tuple([block.name for block in TABLE if block.holds == "known values"])
"""The names of the blocks that state the machines of a pin: nothing is weaker than these."""

OF_OVERLAY: Final = tuple(
    [block.name for block in TABLE if "overlay" in block.written_in and block.name != ATTRIBUTES]
)
"""The names of the blocks of an overlay `for` a package. It writes attributes without a block."""

SETS: Final = tuple([block.name for block in TABLE if block.form == "set"])
"""The names of the sets among a package's attributes, which have a block of their own."""

_SINGLE: Final[dict[str, GroundKind]] = {
    "package": "nothing",
    "pin": "nothing",
    "scope": "nothing",
    "overlays": "empty",
    "needs": "nothing",
    "flag": "nothing",
}
"""The values to which settings outside of blocks add."""


def knows_package(block: str) -> bool:
    """Whether `old`, the package itself, exists when Nix reads *block*. It does not exist for
    settings outside of blocks."""
    known = BY_NAME.get(block)
    return known is not None and known.stage in ("build", "describe")


def ground_of(name: str) -> GroundKind:
    """The value that the settings of the block *name*, or the setting *name* outside of blocks, add
    to if no `=` sets them.
    """
    block = BY_NAME.get(name)
    return block.ground if block is not None else _SINGLE.get(name, "own")
