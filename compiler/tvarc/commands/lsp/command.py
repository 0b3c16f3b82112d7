"""`tvarc lsp`: a language server, which speaks with an editor over its standard streams."""

from __future__ import annotations

from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session, in_session
from tvarc.light import Final

_LIBRARIES: Final = ("pygls", "lsprotocol")


@in_session
def command(session: Session, given: Arguments) -> int:
    """Serve one editor until it ends the session; the exit code."""
    try:
        from tvarc.commands.lsp.server import Server
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in _LIBRARIES:
            raise
        from tvarc.commands import messages as msg

        session.sink.report(msg.programs.NO_LSP, library=fault.name or "")
        session.finish(exits.FAILED)
    Server().serve()
    return exits.OK
