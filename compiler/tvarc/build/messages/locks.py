"""Messages on the lock, and on logs that hashes are taken from."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

MEND: Final = (
    "restore the last good lock from version control, or remove the entry and run `tvarc lock`"
)

NOT_FETCHED: Final = Message(
    "E944",
    "{name} cannot be fetched",
    label="its hash is not known",
    notes=("`{program}` failed:\n{fault}",),
    help=(
        "write `{known}`, the hash that the library has",
        "fix what it reports, or build the recipe and run `tvarc lock --from-log FILE`",
    ),
)

MODULES_NOT_FETCHED: Final = replace(
    NOT_FETCHED,
    label="a module is taken from it",
    help="fix what it reports, or name a checkout: `--input NAME=PATH`",
)

DOUBTFUL_HASH: Final = Message(
    "E945",
    "the log does not say which source has the hash {got}",
    label="this one?",
    notes=("{place}: `{what}` may be\n{names}",),
    help="build recipes that this tvarc wrote: their fake hashes name the source",
)

SEVERAL_HASHES: Final = Message(
    "E945",
    "the log has several hashes for {source}",
    label="its hash is not known",
    notes=("none of them is locked:\n{listed}",),
    help="find out why the hash differs each time before you trust one",
)

FAKE_IN_LOG: Final = Message(
    "E945",
    "the log has a fake hash for {source}",
    label="its hash is not known",
    notes=("{place}: no content has {got}",),
    help="build the recipe again, and use what Nix itself prints",
)

FAKE_IN_PROGRAM: Final = Message(
    "E945",
    "the program states a fake hash for {source}",
    label="a hash written here wins over the lock",
    notes=("{place}: {what} has\n{got}",),
    help=(
        "write `hash = unlocked` here and run this again, or write that hash here if it belongs to "
        "this source"
    ),
)

UNREADABLE: Final = Message(
    "E943",
    "cannot read `{name}`",
    notes=("{reason}",),
    help=MEND,
)

NO_DATE: Final = Message(
    "E802",
    "`{lock}` cannot be dated: {variable} is not a date",
    notes=("it is `{given}`",),
    help="set it to seconds since 1970, at most {last}, or unset it",
)

NO_TOML: Final = Message(
    "E943",
    "`{file}` is not TOML",
    label="{said}",
    help=MEND,
)

CONFLICTS_THAT_AGREE: Final = Message(
    "E943",
    "`{file}` has merge conflicts",
    label="from here",
    other="and here",
    notes=("both sides may add sources: each entry is a block of its own",),
    help="run `tvarc lock`, which keeps the sources of both sides",
)

CONFLICTS: Final = replace(
    CONFLICTS_THAT_AGREE,
    help="keep the whole blocks of both sides and remove the marks; if one source has two hashes, "
    "find out which one is right",
)

TWO_ENTRIES: Final = Message(
    "E943",
    "{source} has two entries",
    label="again here",
    other="and here",
    notes=("a merge of two branches may have left both",),
    help="keep the right one",
)

OTHER_FORMAT: Final = Message(
    "E943",
    "this tvarc cannot read the lock `{file}`",
    label="this tvarc reads version {format}",
    help=("{mend}", "use the tvarc that wrote it, or a newer one"),
)

NO_FORMAT: Final = replace(OTHER_FORMAT, label="no `version`", help=MEND)

UNKNOWN_KEY: Final = Message(
    "E943",
    "`{name}` is not a key of a lock",
    label="unknown key",
    help=MEND,
)

NO_LIST: Final = Message(
    "E943",
    "`source` must be a list of tables",
    help=MEND,
)

UNKNOWN_KIND: Final = Message(
    "E943",
    "an entry of the lock has no known kind",
    label="kinds: {kinds}",
    help=(DID_YOU_MEAN, MEND),
)

UNKNOWN_FIELD: Final = Message(
    "E943",
    "`{name}` is not a field of a `{kind}` entry of the lock",
    label="unknown field",
    help=(DID_YOU_MEAN, MEND),
)

WRONG_TYPE: Final = Message(
    "E943",
    "`{name}` must be {wanted}",
    help=MEND,
)

FIELD_MISSING: Final = Message(
    "E943",
    "a `{kind}` entry of the lock needs the field `{name}`",
    label="field missing",
    help=MEND,
)

NO_HASH: Final = Message(
    "E943",
    "`hash` of the lock is not an SRI hash",
    label="{why}",
    help="{advice}",
)

FAKE_HASH: Final = Message(
    "E943",
    "`hash` of the lock is a fake hash",
    label="no content has this hash",
    help=MEND,
)

BAD_DATE: Final = Message(
    "E943",
    "`date` must be YYYY-MM-DD",
    help=MEND,
)

BAD_FIELD: Final = Message(
    "E943",
    "{fault}",
    label="{why}",
    help="{advice}",
)

REV_OR_TAG: Final = Message(
    "E943",
    "a `github` entry of the lock needs `rev` or `tag`, and not both",
    label="exactly one of them",
    help=MEND,
)

NOTHING_FOUND: Final = Message(
    "E945",
    "the log has no hash that this program needs",
    help="run `tvarc build`, then log the build of a recipe: `nix-build … 2>&1 | tee FILE`",
)

ONLY_STATED_FAKES: Final = Message(
    "E945",
    "the log has no hash that this program needs",
    label="the program states a fake hash itself",
    other="and here",
    help="a hash in the program wins over the lock: write the hash that Nix found, or write "
    "`unlocked`, build, and run this again",
)
