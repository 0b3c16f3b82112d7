"""`tvarc lsp`: a language server, which communicates with an editor over its standard streams."""

from __future__ import annotations

import sys

from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, in_session
from tvarc.light import Final

_LIBRARIES: Final = ("pygls", "lsprotocol")


@in_session
def command(session: Session, given: Arguments) -> int:
    """Serve one editor until it ends the session; the exit code."""
    if not given.flag("stdio") and sys.stdin is not None and sys.stdin.isatty():
        raise Misused("an editor starts this command, not a person: docs/editor.md shows how")
    try:
        from tvarc.commands.lsp.server import Server
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        from tvarc.commands import messages as msg

        session.sink.report(msg.programs.NO_LSP, library=fault.name or "")
        session.finish(exits.FAILED)
    return Server(session.cache).serve()
