"""`tvarc pick`: which variant is for this machine, or for the one of a description."""

from __future__ import annotations

import sys

from tvarc.cli import exits
from tvarc.cli.console import terminal_width
from tvarc.cli.session import Session
from tvarc.hosts.description import BadDescription, host_data, read_description
from tvarc.hosts.detect import describe, described
from tvarc.hosts.machine import ThisMachine
from tvarc.hosts.model import Host
from tvarc.hosts.nvidia_smi import is_answer
from tvarc.hosts.rows import version_fact
from tvarc.hosts.stated import NOTHING, Stated, stated
from tvarc.light import TYPE_CHECKING, Final, NoReturn, Sequence, dataclass
from tvarc.plain import json_text
from tvarc.programs.find import file_name
from tvarc.source import UnreadableSource

if TYPE_CHECKING:
    from tvarc.driver import Compilation
    from tvarc.matrix.variants import Variant


@dataclass(frozen=True, slots=True)
class HostFiles:
    """What tells of a host: a description; or what its /proc/cpuinfo holds and its nvidia-smi has
    printed; or, of all of them nothing, this machine itself."""

    description: str | None = None
    cpuinfo: str | None = None
    nvidia_smi: str | None = None


def pick(
    session: Session,
    file: str | None,
    only: Sequence[str],
    host_files: HostFiles,
    *,
    whole: bool,
    as_json: bool,
) -> int:
    """Print the variants for the host of *host_files*, by default this machine: those that *only*
    means, by default all."""
    from tvarc.hosts.choose import choose

    made = session.compile(file)
    session.stop_on_errors()
    assert made.resolution is not None and made.expansion is not None
    among = session.select(only) if only else None
    host = _host(session, host_files)
    with session.guarded():
        choice = choose(
            made.resolution.program, made.expansion, host, lambda one: _stated(made, one), among
        )
    session.stop_on_errors()
    if as_json:
        from tvarc.hosts.data import choice_data

        session.console.data(json_text(choice_data(choice, session.sources)))
    else:
        from tvarc.hosts.text import choice_text

        width = terminal_width(sys.stdout)
        session.console.out(choice_text(choice, session.sources, whole=whole, width=width))
    if not any(kind.fits for kind in choice.kinds):
        _nothing(session, host)
    session.show()
    return exits.FAILED if session.sink.has_errors else exits.OK


def describe_host(session: Session, host_files: HostFiles) -> int:
    """Print the description of this machine, or of the host of *host_files*."""
    host = _host(session, host_files)
    session.console.data(json_text(host_data(host), ascii=False))
    return exits.OK


def _nothing(session: Session, host: Host) -> None:
    from tvarc.hosts.text import host_line

    session.sink.error(
        "E906",
        f"no variant runs on {host_line(host)}",
        help="`tvarc pick --all` says of each variant why",
    )


_SHOWN: Final = 80


def _host(session: Session, files: HostFiles) -> Host:
    """The host of *files*, this machine when there is none; ends the command when they tell of
    no host."""
    if files.description is not None:
        text = _read(session, files.description)
        try:
            return read_description(text)
        except BadDescription as fault:
            return _no_host(
                session,
                files.description,
                str(fault),
                "`tvarc pick --describe` writes such a file",
            )
    if files.cpuinfo is None:
        return describe(ThisMachine(), lambda name: _capability_of(session, name))
    smi = _read(session, files.nvidia_smi) if files.nvidia_smi is not None else None
    if files.nvidia_smi is not None and smi is not None and not is_answer(smi):
        begins = smi.strip().splitlines()[0][:_SHOWN]
        return _no_host(
            session,
            files.nvidia_smi,
            f"it begins with `{begins}`, which is no answer of nvidia-smi",
            "`nvidia-smi` on that host prints it; without that file no NVIDIA GPU is assumed",
        )
    host = described(_read(session, files.cpuinfo), smi, lambda name: _capability_of(session, name))
    if host is None:
        return _no_host(
            session,
            files.cpuinfo,
            "it has no line `flags` or `Features`",
            "`cat /proc/cpuinfo` on that host prints it",
        )
    return host


def _read(session: Session, file: str) -> str:
    from tvarc.disk import DiskLoader
    from tvarc.resources import stdlib_dir

    name = file_name(file)
    text: str | None = None
    try:
        text = DiskLoader(stdlib_dir()).read(name).text
    except UnreadableSource as fault:
        session.sink.error(fault.code, f"cannot read `{name}`", notes=(fault.reason,))
    if text is None:
        session.finish(exits.FAILED)
    return text


def _no_host(session: Session, file: str, why: str, help: str) -> NoReturn:
    title = f"`{file_name(file)}` does not describe a host"
    session.sink.error("E905", title, notes=(why,), help=help)
    session.finish(exits.FAILED)


def _capability_of(session: Session, name: str) -> str | None:
    """The compute capability of the GPU called *name*, by the library."""
    from tvarc.disk import DiskLoader
    from tvarc.library.products import named_products
    from tvarc.library.rows import LibraryRows
    from tvarc.resources import stdlib_dir

    rows = LibraryRows(DiskLoader(stdlib_dir()), session.cache).all("nvidia")
    found = {
        one.text for row in named_products(name, rows) if (one := version_fact(row, "capability"))
    }
    return found.pop() if len(found) == 1 else None


def _stated(made: Compilation, variant: Variant) -> Stated:
    """What the recipe of *variant* states; nothing when it cannot be decided, which is told."""
    recipe = made.recipe(variant)
    return stated(recipe) if recipe is not None else NOTHING
