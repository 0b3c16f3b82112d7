"""The folder of what Nix is to read while it is asked."""

from __future__ import annotations

from tempfile import TemporaryDirectory, mkdtemp

from tvarc.diagnostics.model import Sink
from tvarc.judge.nix import NotInstalled, refuse_missing
from tvarc.light import Callable, Final, TypeVar

T = TypeVar("T")
_PREFIX: Final = "tvarc-nix-"


def in_folder(asks: Callable[[str], T | None], sink: Sink, wants: str, help_: str) -> T | None:
    """What *asks* finds out from Nix, by what it writes into the new folder that it is given, which
    is gone then. None after reporting that there is no such folder, or no Nix: *wants* is what one
    wants of it, *help_* what there is without."""
    try:
        with TemporaryDirectory(prefix=_PREFIX) as folder:
            return asks(folder)
    except NotInstalled:
        refuse_missing(sink, wants, help_)
    except OSError as fault:
        refuse_folder(sink, fault)
    return None


def lasting_folder() -> str:
    """A new folder that stays. Raises OSError."""
    return mkdtemp(prefix=_PREFIX)


def refuse_folder(sink: Sink, fault: OSError) -> None:
    """Report that what Nix is to read cannot be written."""
    sink.error(
        "E802",
        "there is no temporary folder for what Nix is to read"
        if fault.errno
        else "a path cannot stand in what Nix is to read",
        notes=(f"{fault.filename or 'it'}: {fault.strerror or fault}",),
        help="`TMPDIR` names a folder that can be written to"
        if fault.errno
        else "give the folder another name",
    )
