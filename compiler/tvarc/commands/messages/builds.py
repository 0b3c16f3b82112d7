"""Messages on builds: their reports, logs, machines and links."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

_AGAIN: Final = "fix what Nix reports, and run the same command again"
_THE_REST: Final = "run the same command again: it builds only what is missing"

NO_REPORT: Final = Message(
    "E916",
    "`{name}` is not a report of a build",
    notes=("{reason}",),
    help="name the `report.json` that `tvarc realise` writes next to its logs",
)

BAD_MACHINES: Final = Message(
    "E995",
    "cannot read machines from `{where}`",
    notes=("{reason}",),
    help="write a machine on each line, as for Nix: `ssh-ng://HOST SYSTEM,… - JOBS SPEED "
    "FEATURE,… FEATURE,…`",
)

STORE_REFUSES: Final = Message(
    "E996", "the {store} reports an error", notes=("{said}",), help=_AGAIN
)

STOPPED: Final = Message(
    "E996", "Nix stopped before it built {variants}", notes=("{said}",), help=_AGAIN
)

NO_MACHINE: Final = Message(
    "E994",
    "no machine builds {what}",
    notes=("{its} build is for {target}",),
    help="add a machine that can build it to the list of `--builders`, or leave these variants "
    "out",
)

BROKEN: Final = Message(
    "E992", "{variants} cannot be built", label="{label}", notes=("{said}",), help="{advice}"
)

TEST_FAILED: Final = Message(
    "E998", "test `{test}` fails for {variants}", label="{label}", notes=("{said}",)
)

CANNOT_START: Final = Message(
    "E998",
    "`{test}` cannot be started",
    notes=("{reason}", "the program of a test on the host is in `/nix/store` of this machine"),
    help="run the test where Nix has its store in `/nix`, and not in a folder of `NIX_REMOTE`",
)

UNTESTED: Final = Message(
    "W312",
    "no test for {variants}",
    label="other variants have a test",
    help="write `test NAME {{ … }}` in the recipe",
)

WRONG_HASH: Final = Message(
    "E992",
    "{source} does not have the hash that is stated for {variants}",
    label="{label}",
    notes=("{said}",),
    help="{advice}",
)

LACKS_FEATURES: Final = Message(
    "E993",
    "machine `{machine}` does not have the features needed for {variants}",
    notes=("{said}",),
    help="add the features to the Nix settings of that machine, or remove them from the list",
)

MACHINE_LOST: Final = Message(
    "E993", "machine `{machine}` is lost", notes=("{said}",), help=_THE_REST
)

MACHINE_LOST_WITH_BUILDS: Final = Message(
    "E993",
    "machine `{machine}` is lost; not built: {variants}",
    notes=("{said}",),
    help=_THE_REST,
)

MACHINE_REPLACED: Final = Message(
    "W304", "machine `{machine}` is lost; other machines did its work", notes=("{said}",)
)

NIX_WARNS: Final = Message("W305", "Nix warns", notes=("{said}",))

NO_LOGS: Final = Message(
    "E802",
    "the logs cannot be written to `{folder}`",
    notes=("{reason}",),
    help="name a writable folder with `--logs DIR`",
)

SOME_LOGS: Final = Message(
    "E802", "some logs cannot be written to `{folder}`", notes=("{reason}",)
)

REPORT_NOT_WRITTEN: Final = Message(
    "E802", "`{file}` cannot be written to `{folder}`", notes=("{reason}",)
)

LINK_IN_THE_WAY: Final = Message(
    "E802",
    "`{file}` is in the way of a link",
    notes=("{more} as well",),
    help="remove it, or name another folder with `--out-link DIR`",
)

SHARED_LINK: Final = Message(
    "E802",
    "`{first}` and `{second}` would share the link `{link}`",
    notes=("a link to an output other than `out` is named after the variant and the output",),
    help="build one of them alone, or with links in another folder: `--out-link DIR`",
)

NO_BILLS: Final = Message(
    "E802",
    "bills of materials cannot be written to `{folder}`",
    notes=("{reason}",),
    help="name a writable folder with `--sbom DIR`",
)

NO_LINKS: Final = Message(
    "E802",
    "links cannot be made in `{folder}`",
    notes=("{reason}",),
    help="name a writable folder with `--out-link DIR`",
)
