"""Messages on workflows of GitHub, and on the other files for systems that build."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

_STEPS: Final = "`{key}` of an output must be a list of steps of GitHub"
_STEP: Final = 'write `{key} = [{{ run = "df -h" }}]`'

FILE_TWICE: Final = Message(
    "E402",
    "output `{output}` has the same file twice",
    label="`{path}`",
    other="here too",
    help="give one of them another `file`",
)

TOO_MANY_JOBS: Final = Message(
    "E806",
    "output `{output}` has too many jobs for one workflow: {count}",
    label="its matrices take {size} bytes as outputs of a job, and GitHub allows {most}",
    help="split the variants over two outputs, each with `only = CONDITION`",
)

NO_REFERENCE: Final = Message(
    "E809",
    "output `{output}` does not say where its workflow gets tvarc",
    label="`tvarc` is missing",
    notes=("the workflow installs tvarc, and no release is published yet",),
    help="write `tvarc = …`: {forms}",
)

BAD_REFERENCE: Final = Message(
    "E809",
    "the workflow of output `{output}` cannot get tvarc from there",
    label="this names neither a commit nor a file with its hash",
    notes=("{moves}",),
    help="write `tvarc = …`: {forms}",
)

BAD_BRANCH: Final = Message(
    "E403",
    "`ledger` of an output must be the name of a branch",
    label="this is not",
    help='write `ledger = "tvarc-results"`: no other files may be on that branch',
)

SEVERAL_SYSTEMS: Final = Message(
    "E403",
    "output `{output}` cannot have a ledger",
    label="a ledger has one result for each variant, and `{variant}` has a job for {systems}",
    help="add an axis of systems, so that `meta.platforms` of a variant has one; "
    "or remove `ledger`",
)

NO_RUNNER: Final = Message(
    "E403",
    "there is no runner for {system}",
    label="for {variant}",
    notes=("GitHub has runners for {known}",),
    help='write your own: `runners = {{ "{system}" = ["self-hosted", "{system}"] }}`',
)

BAD_RUNNERS: Final = Message(
    "E403",
    "`runners` must be a record of systems and features with labels of runners",
    label="{wrong}, for {variant}",
    help='write `runners = {{ x86_64-linux = "ubuntu-24.04", cuda = ["self-hosted", "gpu"] }}`',
)

NO_STEPS: Final = Message("E403", _STEPS, label="this is {kind}", help=_STEP)

STEP_NO_RECORD: Final = replace(NO_STEPS, label="a step must be a record, this is {kind}")

UNKNOWN_KEY: Final = replace(
    NO_STEPS, label="a step cannot have `{name}`", help=(DID_YOU_MEAN, _STEP)
)

VALUE_NO_RECORD: Final = replace(NO_STEPS, label="`{name}` of a step must be a record")

VALUE_NO_STRING: Final = replace(NO_STEPS, label="`{name}` of a step must be a string")

STEP_WITHOUT_WORK: Final = replace(NO_STEPS, label="a step needs either `uses` or `run`")

BAD_ID: Final = replace(
    NO_STEPS,
    label="`id` of a step must be a name",
    help='use letters, digits, `-` and `_`: `id = "cache"`',
)

SAME_ID: Final = replace(
    NO_STEPS, label="two steps have the `id` `{name}`", help="give one of them another `id`"
)

BAD_TIMEOUT: Final = replace(
    NO_STEPS,
    label="`timeout-minutes` of a step must be a number",
    help="write `timeout-minutes = 30`",
)

BAD_CONTINUE: Final = replace(
    NO_STEPS,
    label="`continue-on-error` of a step must be true or false",
    help="write `continue-on-error = true`",
)
