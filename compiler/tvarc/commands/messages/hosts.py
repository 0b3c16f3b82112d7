"""Messages on machines, and on the files that describe them."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

_NO_HOST: Final = "`{file}` does not describe a host"
_SAVE_SMI: Final = (
    "save the output of `{query}` on that host; without this file tvarc assumes no NVIDIA GPU"
)

NO_VARIANT: Final = Message(
    "E906",
    "no variant runs on {host}",
    help="`tvarc pick --all` gives the reason for each variant",
)

NOT_OF_NVIDIA_SMI: Final = Message(
    "E905",
    _NO_HOST,
    notes=("it begins with `{begins}`: this is not the output of nvidia-smi",),
    help=_SAVE_SMI,
)

BAD_DESCRIPTION: Final = replace(
    NOT_OF_NVIDIA_SMI,
    notes=("{reason}",),
    help="run `tvarc pick --describe` on that host: it prints such a file",
)

TABLE_OF_NVIDIA_SMI: Final = replace(
    NOT_OF_NVIDIA_SMI,
    notes=("this is the table of nvidia-smi, which shortens names and has no compute capability",),
)

NO_CPUINFO: Final = replace(
    NOT_OF_NVIDIA_SMI,
    notes=("it has no line `flags` or `Features`",),
    help="save the output of `cat /proc/cpuinfo` on that host",
)
