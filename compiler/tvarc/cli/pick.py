"""`tvarc pick`: which variant is for this machine, or for the one of a description."""

from __future__ import annotations

import sys

from tvarc.cli import exits
from tvarc.cli.console import terminal_width
from tvarc.cli.session import Session
from tvarc.hosts.description import host_data
from tvarc.hosts.model import Host
from tvarc.hosts.stated import NOTHING, Stated, stated
from tvarc.light import TYPE_CHECKING, Sequence
from tvarc.plain import json_text
from tvarc.programs.host import HostFiles, NoHost, host_of

if TYPE_CHECKING:
    from tvarc.driver import Compilation
    from tvarc.matrix.variants import Variant


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
    from tvarc.hosts.choose import choose, own_values

    made = session.compile(file)
    session.stop_on_errors()
    assert made.resolution is not None and made.expansion is not None
    among = session.select(only) if only else None
    host = _host(session, host_files)
    with session.guarded():
        choice = choose(
            made.resolution.program,
            made.expansion,
            host,
            lambda one: _stated(made, one),
            among,
            made.stack.values if made.is_stacked else own_values,
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


def _host(session: Session, files: HostFiles) -> Host:
    """The host of *files*; ends the command when they tell of none."""
    try:
        return host_of(files, session.cache, session.sink)
    except NoHost:
        session.finish(exits.FAILED)


def _stated(made: Compilation, variant: Variant) -> Stated:
    """What the recipe of *variant* states; nothing when it cannot be decided, which is told."""
    recipe = made.recipe(variant)
    return stated(recipe) if recipe is not None else NOTHING
