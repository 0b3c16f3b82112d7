"""`tvarc pick`: which variant is for this machine, or for the one of a description."""

from __future__ import annotations

import sys

from tvarc.cli import exits
from tvarc.cli.console import json_text, terminal_width
from tvarc.cli.program import source_name
from tvarc.cli.session import Session
from tvarc.hosts.description import BadDescription, host_data, read_description
from tvarc.hosts.detect import describe
from tvarc.hosts.machine import ThisMachine
from tvarc.hosts.model import Host
from tvarc.hosts.stated import NOTHING, Stated, stated
from tvarc.light import TYPE_CHECKING
from tvarc.source import UnreadableSource

if TYPE_CHECKING:
    from tvarc.driver import Compilation
    from tvarc.matrix.variants import Variant


def pick(
    session: Session, file: str | None, host_file: str | None, *, whole: bool, as_json: bool
) -> int:
    """Print the variants for the host of *host_file*, by default this machine."""
    from tvarc.hosts.choose import choose

    made = session.compile(file)
    session.stop_on_errors()
    assert made.resolution is not None and made.expansion is not None
    host = _host(session, host_file)
    with session.guarded():
        choice = choose(
            made.resolution.program, made.expansion, host, lambda one: _stated(made, one)
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


def describe_host(session: Session, host_file: str | None) -> int:
    """Print the description of this machine, or *host_file* read and written again."""
    host = _host(session, host_file)
    session.console.data(json_text(host_data(host), ascii=False))
    return exits.OK


def _nothing(session: Session, host: Host) -> None:
    from tvarc.hosts.text import host_line

    session.sink.error(
        "E906",
        f"no variant runs on {host_line(host)}",
        help="`tvarc pick --all` says of each variant why",
    )


def _host(session: Session, file: str | None) -> Host:
    """The host that *file* describes, this machine when there is none; ends the command when the
    file is no description."""
    if file is None:
        return describe(ThisMachine())
    from tvarc.disk import DiskLoader
    from tvarc.resources import stdlib_dir

    name = source_name(file)
    host: Host | None = None
    try:
        host = read_description(DiskLoader(stdlib_dir()).read(name).text)
    except UnreadableSource as fault:
        session.sink.error(fault.code, f"cannot read `{name}`", notes=(fault.reason,))
    except BadDescription as fault:
        session.sink.error(
            "E905",
            f"`{name}` does not describe a host",
            notes=(str(fault),),
            help="`tvarc pick --describe` writes such a file",
        )
    if host is None:
        session.finish(exits.FAILED)
    return host


def _stated(made: Compilation, variant: Variant) -> Stated:
    """What the recipe of *variant* states; nothing when it cannot be decided, which is told."""
    recipe = made.recipe(variant)
    return stated(recipe) if recipe is not None else NOTHING
