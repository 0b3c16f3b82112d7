"""`tvarc report --serve`: the page in a browser, which follows each saved change."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli.test_watch import SECONDS, Watched, put, watching
from support.chromium import PROGRAM, Chromium, axe
from support.command import SMALL, spawn, tvarc
from support.html import Read, page_data
from tvarc.commands.line import exits
from tvarc.farm import LEDGER

in_chromium = pytest.mark.skipif(
    PROGRAM is None and not os.environ.get("CI"), reason="Chromium is not installed"
)
BROKEN = SMALL.replace("recipe = base", "recipe = bas")


@dataclass(frozen=True)
class Served:
    """A page at *url*, and the process that serves it."""

    watch: Watched
    url: str

    def until(self, words: str) -> str:
        return until(self.watch, words)

    def page(self) -> str:
        with urllib.request.urlopen(self.url, timeout=SECONDS) as answer:
            text: str = answer.read().decode()
            return text

    def host(self) -> str:
        return self.url.split("/")[2]


def until(watch: Watched, words: str) -> str:
    line = watch.line()
    while words not in line:
        line = watch.line()
    return line


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[Served]:
    with watching(folder, "--serve", *words, command="report") as watch:
        yield Served(watch, until(watch, "the page: ").split()[-1])


@contextmanager
def events(served: Served) -> Iterator[Iterator[dict[str, Any]]]:
    """What the page is sent."""
    with urllib.request.urlopen(f"{served.url}events", timeout=SECONDS) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        lines = (line.decode() for line in answer)
        yield (json.loads(line[len("data: ") :]) for line in lines if line.startswith("data: "))


def own_digest(page: str) -> str:
    """The digest by which the page compares itself with the present one."""
    (digest,) = [value for key, value in Read(page).attributes if key == "data-page"]
    assert digest is not None
    return digest


def errors_of(page: str) -> str:
    """The text of the errors that the page shows."""
    before, _, after = page.partition("<pre")
    assert before.endswith(">")
    return "".join(Read(f"<pre{after.partition('</pre>')[0]}</pre>").content)


def test_the_page_is_that_of_the_present_program(project: Path) -> None:
    with serving(project) as served, events(served) as sent:
        served.until("watching 1 file: Ctrl-C ends it")
        whole = tvarc("report", "--html", "-").stdout
        page = served.page()
        assert "connect-src &#39;self&#39;" in page and "connect-src" not in whole
        assert [page_data(page, one) for one in ("matrix", "details")] == [
            page_data(whole, one) for one in ("matrix", "details")
        ]
        assert next(sent) == {"page": own_digest(page), "errors": ""} and errors_of(page) == ""
        put(project / "variants.tvar", SMALL.replace("gpu == sm90 and", "gpu == sm100 and"))
        other = next(sent)["page"]
        assert other != own_digest(page)
        page = served.page()
        assert own_digest(page) == other
        assert '"hello-cuda13_0-sm90"' in page
        assert served.until("shown in").startswith("5 variants shown in ")


def test_a_program_with_an_error_keeps_its_last_page(project: Path) -> None:
    """The error is what `check` prints."""
    with serving(project) as served, events(served) as sent:
        good = served.page()
        next(sent)
        put(project / "variants.tvar", BROKEN)
        told = next(sent)
        assert told["page"] == own_digest(good)
        assert told["errors"] == spawn("check", cwd=project).stderr.decode()
        assert told["errors"].startswith("error[E201]: there is no recipe `bas`\n")
        page = served.page()
        assert errors_of(page) == told["errors"]
        assert page_data(page, "matrix") == page_data(good, "matrix")
        served.until("1 error, ")
        put(project / "variants.tvar", SMALL)
        assert next(sent) == {"page": own_digest(good), "errors": ""}
        assert served.page() == good


def test_a_program_that_begins_with_an_error(project: Path) -> None:
    put(project / "variants.tvar", BROKEN)
    with serving(project) as served, events(served) as sent:
        page = served.page()
        assert "E201" in errors_of(page) and "No page yet" in page
        assert next(sent)["page"] == own_digest(page)
        assert served.until("no page yet") == "1 error, 0 warnings; there is no page yet\n"
        put(project / "variants.tvar", SMALL)
        assert next(sent)["page"] == own_digest(served.page())
        assert errors_of(served.page()) == ""


@pytest.mark.slow
def test_results_of_builds_are_followed(project: Path) -> None:
    ledger = json.dumps({"format": 1})
    with serving(project) as served, events(served) as sent:
        next(sent)
        put(project / LEDGER, f"{ledger}\n")
        assert "E918" in next(sent)["errors"]
        (project / LEDGER).unlink()
        assert next(sent)["errors"] == ""
    told = [{"name": "hello-cuda12_8-sm90", "state": "failed"}]
    put(project / "report.json", json.dumps({"variants": told}))
    with serving(project, "sm90", "--builds", "report.json") as served, events(served) as sent:
        next(sent)
        (cell,) = page_data(served.page(), "matrix")["cells"]
        assert cell["state"] == {"state": "failed"}
        told[0]["state"] = "built"
        put(project / "report.json", json.dumps({"variants": told}))
        next(sent)
        (cell,) = page_data(served.page(), "matrix")["cells"]
        assert cell["state"] == {"state": "built"}


def test_only_a_browser_of_this_machine_that_knows_the_address_is_answered(project: Path) -> None:
    def ask(path: str, host: str | None, method: str = "GET") -> int:
        connection = http.client.HTTPConnection(served.host(), timeout=SECONDS)
        connection.putrequest(method, path, skip_host=True)
        if host is not None:
            connection.putheader("Host", host)
        connection.endheaders()
        answer = connection.getresponse()
        assert str(project).encode() not in answer.read()
        connection.close()
        return answer.status

    with serving(project) as served:
        with urllib.request.urlopen(served.url, timeout=SECONDS) as answer:
            headers = answer.headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert "Access-Control-Allow-Origin" not in headers
        port = served.host().partition(":")[2]
        path = served.url.removeprefix(f"http://{served.host()}")
        assert len(path) > 20
        for host in (served.host(), f"localhost:{port}", "LOCALHOST", "localhost:9"):
            assert ask(path, host) == http.client.OK  # the last one through a tunnel
        for name in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", ""):
            assert ask(path, name) == http.client.FORBIDDEN
            assert ask(f"{path}events", name) == http.client.FORBIDDEN
        assert ask(path, None) == http.client.FORBIDDEN
        outside = f"{path}../../../../../../etc/passwd"
        for other in ("/", "/events", path[:-2], f"{path}variants.tvar", f"{path}?x", outside):
            assert ask(other, served.host()) == http.client.NOT_FOUND, other
        assert ask(path[:-1], "evil.example") == http.client.FORBIDDEN
        assert ask(path[:-1], served.host()) == http.client.MOVED_PERMANENTLY
        with urllib.request.urlopen(served.url[:-1], timeout=SECONDS) as answer:
            assert answer.url == served.url
        for one in (path, f"{path}events"):
            assert ask(one, served.host(), "HEAD") == http.client.OK
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert ask(path, served.host(), method) == http.client.NOT_IMPLEMENTED
        # It listens at no other address.
        own = socket.gethostbyname(socket.gethostname())
        if not own.startswith("127."):
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((own, int(port)), timeout=SECONDS)
        # Nonsense is answered with an error, and the page is still there.
        for nonsense in (b"\0" * 100, b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"x" * 100_000):
            with socket.create_connection(("127.0.0.1", int(port)), timeout=SECONDS) as raw:
                raw.sendall(nonsense)
        assert "sm103" in served.page()
        assert served.watch.lines.empty() or "watching" in served.until("watching")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, exits.OK), (signal.SIGTERM, exits.TERMINATED)]
)
def test_a_person_ends_it(project: Path, number: int, code: int) -> None:
    """While a browser has the page, too. The same port is free again at once."""
    with serving(project) as served, events(served) as sent:
        next(sent)
        served.until("watching")
        assert served.watch.end(number) == code
        assert number != signal.SIGINT or served.watch.line() == "stopped\n"
        assert list(sent) == []  # the stream has ended
        port = served.host().partition(":")[2]
    with serving(project, "--port", port) as served:
        assert served.host() == f"127.0.0.1:{port}"


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    done = spawn("report", "--serve", "x.tvar", cwd=tmp_path)
    assert done.returncode == exits.FAILED and b"error[E106]" in done.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--serve", "--html", "page.html"), "leave out --html"),
        (("--serve", "--svg", "-"), "leave out --svg"),
        (("--serve", "--force"), "leave out --force"),
        (("--serve", "--port", "0"), "from 1 to 65535"),
        (("--serve", "--port", "65536"), "from 1 to 65535"),
        (("--serve", "--port", "http"), "from 1 to 65535"),
        (("--html", "page.html", "--port", "8000"), "add `--serve`"),
    ],
)
def test_what_cannot_be_is_told(project: Path, words: tuple[str, ...], says: str) -> None:
    result = tvarc("report", *words)
    assert (result.exit_code, result.stdout) == (exits.USAGE, "")
    assert says in " ".join(result.stderr.replace("\u2502", " ").split())


def test_a_port_that_is_taken(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        result = tvarc("report", "--serve", "--port", port)
    assert result.exit_code == exits.USAGE
    assert f"{port} cannot be used" in result.stderr


# --- in a browser ------------------------------------------------------------------------------


def choose(browser: Chromium, control: str, value: str, event: str) -> None:
    browser.value(
        f"{{ const one = document.getElementById('{control}'); one.value = '{value}'; "
        f"one.dispatchEvent(new Event('{event}', {{ bubbles: true }})); }}"
    )


@pytest.mark.slow
@in_chromium
def test_the_page_follows_and_keeps_what_a_person_has_chosen(project: Path) -> None:
    text = SMALL[: SMALL.index("warn same-build")]
    put(project / "variants.tvar", text)
    with serving(project) as served, Chromium() as browser:
        browser.open(served.url, "hello-cuda12_8-sm103")
        assert browser.complaints == []
        detail = "document.getElementById('detail').textContent"
        assert '"-a"' in browser.value(detail)
        errors = "document.getElementById('errors')"
        assert browser.value(f"{errors}.hidden")
        browser.click("#options summary")
        browser.wait("document.querySelectorAll('#colour option').length > 2")
        choose(browser, "colour", "lint:same-build", "change")
        choose(browser, "search", "sm103", "input")
        put(project / "variants.tvar", text.replace('"-a"', '"-b"'))
        browser.wait(f"document.readyState === 'complete' && {detail}.includes('\"-b\"')")
        browser.wait("document.getElementById('colour').value === 'lint:same-build'")
        assert browser.value("document.getElementById('search').value") == "sm103"
        assert browser.value("document.getElementById('options').open")
        put(project / "variants.tvar", BROKEN)
        browser.wait(f"!{errors}.hidden")
        assert "there is no recipe `bas`" in browser.value(f"{errors}.innerText")
        assert "last program without errors" in browser.value(f"{errors}.innerText")
        assert '"-b"' in browser.value(detail)
        browser.value("scrollTo(0, document.body.scrollHeight)")
        assert browser.value(f"{errors}.getBoundingClientRect().bottom > 0")
        choose(browser, "search", "", "input")
        browser.wait("document.querySelectorAll('.dim').length === 0")
        assert axe(browser) == []
        put(project / "variants.tvar", text.replace('"-a"', '"-b"'))
        browser.wait(f"{errors}.hidden")
        assert browser.complaints == []
        served.watch.end()
        browser.wait(f"{errors}.innerText.includes('has ended')")
