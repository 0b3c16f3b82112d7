"""Messages on the evaluation of recipes by Nix."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message
from tvarc.text.diagnostics.warning_names import JUDGED

_NOTHING: Final = "nothing was evaluated"

INPUT_NOT_FETCHED: Final = Message(
    "E944",
    "input `{name}` cannot be fetched here",
    label=_NOTHING,
    notes=("{said}",),
    help=(
        "run this where Nix can fetch it, or name a checkout of the input: `--input "
        "{checkout}=PATH`",
        "run this where Nix can fetch it",
    ),
)

NO_NIXPKGS: Final = Message(
    "E944",
    "variants without a pin use `<nixpkgs>`, and Nix does not find it",
    notes=("{said}",),
    help="set `NIX_PATH=nixpkgs=FOLDER`, or evaluate variants that have a pin",
)

PIN_NOT_FETCHED: Final = Message(
    "E944",
    "pin `{name}` cannot be fetched here",
    label=_NOTHING,
    notes=("{said}",),
    help="run this where Nix can fetch it, or pin a folder that has it: `{name}.path`",
)

NO_FILES_OF_COMMIT: Final = Message(
    "E911",
    "cannot get the files of `{commit}` from git",
    notes=("{reason}",),
    help="{advice}",
)

NOT_EVALUATED: Final = Message("E991", "{variants} could not be evaluated")

REFUSED_WITH_HELP: Final = Message("E991", "Nix refuses {variants}", help="{help}")

REFUSED: Final = replace(REFUSED_WITH_HELP, help="correct this line, or exclude these cells")

NO_OVERRIDE: Final = replace(
    REFUSED_WITH_HELP,
    help="the package has no `override`, which `args` call: remove `args` and pass the arguments "
    "in the Nix text of `package`, or exclude these cells",
)

NO_OVERRIDE_ATTRS: Final = replace(
    REFUSED_WITH_HELP,
    help="the package has no `overrideAttrs`, which all settings except `args` call: name a "
    "package that `mkDerivation` makes, or make the change in the Nix text of `package`, or "
    "exclude these cells",
)

FAKE_HASH: Final = Message(
    "E997",
    "`{name}` has a fake hash, so {variants} cannot be built",
    label="this setting fetches it",
    notes=("it is fetched {how}",),
    help="write the real hash, or write `hash = unlocked` and run `tvarc lock`",
)


_NAMES: Final = {code: name for name, code in JUDGED.items()}


def _judged(
    code: str, title: str, help: str, *, label: str = "", notes: tuple[str, ...] = ()
) -> Message:
    """The warning *code*, which a program can switch off by its name."""
    name = _NAMES[code]
    off = f'warn {name} = off because "…"'
    return Message(code, title, label, notes=notes, help=f"{help}; or `{off}`", name=name)


NOT_IN_DERIVATION: Final = _judged(
    "W301",
    "{kind} `{name}` is not in the derivation",
    "set it on the package that is built, or remove it",
    notes=("in {variants}",),
)

VALUE_NOT_IN_DERIVATION: Final = _judged(
    "W301",
    "what {kind} `{name}` is set to is not in the derivation",
    "set it on the package that is built, or remove it",
    notes=("in {variants}",),
)

IDLE_OVERLAY: Final = _judged(
    "W302",
    "{kind} `{name}` changes no derivation of {variants}",
    "remove it from the list, or correct its target",
    label="without it, the derivations are the same",
)

OVERLAY_OF_OTHERS: Final = _judged(
    "W302",
    "{kind} `{name}` changes no derivation of {variants}",
    "list it only for the other variants, under a `when`, or correct its target",
    label="without it, the derivations are the same",
)

ONE_DERIVATION: Final = _judged(
    "W303",
    "{variants} have the same derivation",
    "make them differ in what is built, or exclude all but one",
)

ONE_RESULT: Final = _judged(
    "W303",
    "{variants} have the same result",
    "make them differ in what is built, or exclude all but one",
    notes=("their derivations differ, but have one path in the store",),
)

IDLE_REMOVAL: Final = _judged(
    "W307",
    "`-=` removes nothing from `{name}` of {variants}",
    "remove the line, or write the element as the package has it today: `tvarc explain SELECTOR` "
    "shows the setting",
    label="the list has no such element",
)

UNREAD_SETTING: Final = _judged(
    "W308",
    "nothing reads {what} {variants}",
    "remove it, or set what the package reads",
    label="without it, the {derivations} the same",
)

UNUSED_HASH: Final = _judged(
    "W308",
    "no download uses `{name}` of {variants}",
    "pass it to the builder of the package, as `tvarc explain W308` shows",
    notes=("the package fetches with its original hash",),
)

UNREAD_FLAGS: Final = _judged(
    "W308",
    "nothing reads `{name}` of {variants}",
    "remove it, or set what the package reads",
    notes=("{why}",),
)

FLAGS_WITHOUT_INPUT: Final = _judged(
    "W308",
    "nothing reads `{name}` of {variants}",
    "remove it, or add that input",
    notes=("{why}",),
)

SCRIPT_NOT_RUN: Final = _judged(
    "W309",
    "nothing runs the script `{name}` of {variants}",
    "remove it, or move its lines to a script that runs",
    notes=("{why}",),
)

NAME_NOT_DERIVED: Final = _judged(
    "W310",
    "`{attribute}` does not reach the derivation name of {variants}",
    "set `name` as well",
    notes=(
        "{which} is named `{derivation}`: the package makes its name before the setting applies",
    ),
)

OTHER_VERSION: Final = _judged(
    "W310",
    "`name` of {variants} has another version than the build",
    "write the same version in both, or leave out `name`",
    notes=("{which} is named `{derivation}`, and its `version` is {version}",),
)

OTHER_TOOLKIT: Final = _judged(
    "W313",
    "{variants} {are} for {wanted} and {depend} on `{package}`",
    "take the package from the CUDA set of the build, such as `cudaPackages` of an overlay",
    label="this brings it",
)

SEVERAL_BUILDS: Final = _judged(
    "W314",
    "{variants} {gets} {count} builds of `{library}`",
    "set the package in its set by an overlay, so that all that depend on it take the same one",
    label="this brings one of them",
)

OTHER_SYSTEM: Final = _judged(
    "W315",
    "the derivation of {variants} is for {system}",
    "take the package from `pkgs`, which is for the system of the caller, or correct "
    "`meta.platforms`",
    label="Nix evaluated it for {wanted}",
)

SOURCE_UNFIT: Final = _judged(
    "W311",
    "`{source}` does not fit the `{attribute}` of its package",
    "set `{attribute}` as well, or fetch the same kind of source as the package",
    notes=("the package sets {what}, which fits its original source",),
)
