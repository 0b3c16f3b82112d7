"""Messages on workflows of GitHub."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

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

BAD_STEPS: Final = Message(
    "E403",
    "`{key}` of an output must be a list of steps of GitHub",
    label="{wrong}",
    help=("{advice}", 'write `{key} = [{{ run = "df -h" }}]`'),
)
