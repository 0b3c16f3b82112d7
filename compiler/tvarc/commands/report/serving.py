"""`tvarc report --serve`: the page in a browser of this machine, which follows each edit.

The server answers only browsers on this machine. It has two addresses: one for the page, and one
for the events by which the page follows the program. Both contain a secret of this run, which other
users of the machine do not know. It reads no file for a request, and a request changes nothing.
"""

from __future__ import annotations

import hmac
import os
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from secrets import token_urlsafe
from socketserver import ThreadingTCPServer
from threading import Condition, Thread
from time import monotonic

from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import for_people
from tvarc.commands.line.following import Following, RunsScreen
from tvarc.commands.line.session import Ended, Session
from tvarc.commands.programs.find import program_name
from tvarc.commands.report.html_page import Page, draw, page_document, page_of
from tvarc.commands.shown.html import Markup, element
from tvarc.digest import sha256
from tvarc.farm import LEDGER
from tvarc.files.disk import WatchingLoader
from tvarc.light import Final, Sequence, dataclass, suppress
from tvarc.text.diagnostics.model import Diagnostic, Format, first_errors
from tvarc.text.diagnostics.render_text import render_text
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.plain import json_text

_ADDRESS: Final = "127.0.0.1"
_NAMES: Final = frozenset((_ADDRESS, "localhost"))
"""The host names that a request may have. A request with another name comes from a website that
pretends to be this server.
"""
_HIGHEST_PORT: Final = 65535
_PATIENCE: Final = 20  # seconds for a browser to send a request, and to receive the answer
_BEAT: Final = 15  # seconds after which a browser that is gone is noticed
_WIDTH: Final = 100  # of an error, in letters
_SCRIPTS: Final = ("pane.js", "matrix.js", "follow.js")
_HEADERS: Final = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
)


def serve(given: Arguments) -> int:
    """Show the page, and a new one after each edit, until the user ends it; the exit code."""
    for name in ("html", "svg", "force"):
        if given.is_given(name):
            raise Misused(f"it writes no file: leave out --{name}", "--serve")
    port = given.number("port", 1, _WANTED) or 0
    if port > _HIGHEST_PORT:
        raise Misused(_WANTED, "--port")
    try:
        server = _Server(port)
    except OSError as fault:
        raise Misused(f"{port} cannot be used: {fault.strerror}", "--port") from None
    with server:
        Thread(target=server.serve_forever, args=(_PAUSE,), daemon=True).start()
        try:
            return _Serving(given, server).follow()
        finally:
            server.shutdown()


_WANTED: Final = f"name a port, from 1 to {_HIGHEST_PORT}"
_PAUSE: Final = 0.1  # seconds until the server notices that it must end


# --- the program ------------------------------------------------------------------------------


class _Screen(RunsScreen):
    """The terminal beside the page. `text` is what it shows of a program with errors."""

    __slots__ = ("text",)

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self.text = ""

    def diagnostics(self, items: Sequence[Diagnostic], sources: SourceMap) -> None:
        super().diagnostics(items, sources)
        self.text = ""
        if self.errors:
            shown, more = first_errors(items)
            text = render_text(shown, sources, colour=False, width=_WIDTH, more=more)
            self.text = for_people(None, text)


class _Serving(Following):
    """A program whose page the *server* shows."""

    __slots__ = ("_given", "_page", "_server")
    screen: _Screen

    def __init__(self, given: Arguments, server: _Server) -> None:
        file = program_name(given.program_and_words()[0])
        screen = _Screen(given.console().format)
        super().__init__(screen, file, given.words("input"), cached=not given.flag("no_cache"))
        self._given = given
        self._page: Page | None = None
        self._server = server
        screen.remark(f"the page: {server.url}\n", whole=True)

    def turn(self, session: Session, loader: WatchingLoader, began: float) -> None:
        drawn = draw(session, self._given, loader)
        builds = self._given.text("builds")
        ledger = os.path.join(os.path.dirname(drawn.made.file), LEDGER)  # noqa: PTH118, PTH120
        self.also([ledger if builds is None else builds])
        self._page = page_of(session, drawn, builds)
        session.show()
        self._server.show(_state(self._page, ""))
        what = counted(len(drawn.variants), "variant")
        self.screen.remark(f"{what} shown in {monotonic() - began:.2f} s\n")
        self.screen.news([self._page.closing] if self._page.closing else [])

    def failed(self, session: Session, end: Ended, seconds: float) -> None:
        self._server.show(_state(self._page, self.screen.text))
        kept = "there is no page yet" if self._page is None else "the page stays as it was"
        self.screen.error(f"{session.counts()}; {kept}\n")


# --- the page ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The state that a browser shows: the page `html`, the `event` with its digest, and the errors.
    """

    html: bytes
    event: bytes


def _state(page: Page | None, errors: str) -> _State:
    """The last good *page* with the *errors* of the program above it."""
    if page is None:
        page = Page("tvarc report", (element("header", element("h1", "No page yet")),), "")
    digest = sha256("".join([one.text for one in page.body]).encode()).hexdigest()
    has_page = len(page.body) > 1
    body = (_errors(digest, errors, has_page=has_page), *page.body)
    scripts = _SCRIPTS if has_page else _SCRIPTS[-1:]
    html = page_document(page.title, *body, scripts=scripts, connects=True)
    event = json_text({"page": digest, "errors": errors}, indent=None)
    return _State(html.encode(), event.encode())


def _errors(digest: str, errors: str, *, has_page: bool) -> Markup:
    note = "The page below shows the last program without errors." if has_page else ""
    hidden = {} if errors else {"hidden": ""}
    return element(
        "section",
        element("pre", errors, class_="value"),
        element("p", note, class_="warn"),
        id="errors", data_page=digest, role="alert", aria_label="Errors of the program",
        tabindex="0", **hidden,
    )  # fmt: skip


# --- the server -------------------------------------------------------------------------------


class _Server(ThreadingTCPServer):
    """A server for browsers of this machine. It listens at *port*. If that is 0, it chooses a free
    port."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__((_ADDRESS, port), _Handler)
        self.path = f"/{token_urlsafe(16)}/"
        self._state: _State | None = None
        self._changed = Condition()

    @property
    def url(self) -> str:
        return f"http://{_ADDRESS}:{self.server_address[1]}{self.path}"

    def show(self, state: _State) -> None:
        """Answer with *state* from now on."""
        with self._changed:
            self._state = state
            self._changed.notify_all()

    def state(self, known: _State | None = None) -> _State:
        """The present state. If it is *known*, wait some seconds for another one."""
        with self._changed:
            self._changed.wait_for(lambda: self._state is not None)
            self._changed.wait_for(lambda: self._state is not known, _BEAT)
            assert self._state is not None
            return self._state

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that goes away is no error. Nothing is printed between the lines of a run."""


class _Handler(BaseHTTPRequestHandler):
    """One request of a browser."""

    server: _Server
    timeout = _PATIENCE
    server_version = "tvarc"
    sys_version = ""

    def do_HEAD(self) -> None:
        """As for `GET`, without the body."""
        self.do_GET()

    def do_GET(self) -> None:
        name, _, _ = self.headers.get("Host", "").partition(":")
        if name.lower() not in _NAMES:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif self._asks_for(""):
            html = self.server.state().html
            self._begin("text/html; charset=utf-8", ("Content-Length", str(len(html))))
            if self.command != "HEAD":
                self.wfile.write(html)
        elif hmac.compare_digest(f"{self.path}/".encode(), self.server.path.encode()):
            self.send_response(HTTPStatus.MOVED_PERMANENTLY)
            self._end(("Location", self.server.path), ("Content-Length", "0"))
        elif self._asks_for("events"):
            self._begin("text/event-stream")
            if self.command != "HEAD":
                with suppress(OSError):  # the browser has gone away
                    self._send_events()
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def _asks_for(self, name: str) -> bool:
        return hmac.compare_digest(self.path.encode(), f"{self.server.path}{name}".encode())

    def _begin(self, kind: str, *more: tuple[str, str]) -> None:
        self.send_response(HTTPStatus.OK)
        self._end(("Content-Type", kind), *more)

    def _end(self, *headers: tuple[str, str]) -> None:
        for key, value in (*headers, *_HEADERS):
            self.send_header(key, value)
        self.end_headers()

    def _send_events(self) -> None:
        """Send each state, and an empty comment when there was none for a while."""
        known: _State | None = None
        while True:
            state = self.server.state(known)
            self.wfile.write(b":\n\n" if state is known else b"data: %b\n" % state.event)
            known = state

    def log_message(self, format: str, *values: object) -> None:
        """Print nothing for a request."""
